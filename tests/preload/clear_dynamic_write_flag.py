"""Copies a shared library with a PT_DYNAMIC segment that says it is read-only (lld's -z rodynamic): the loader then
leaves the addresses in it as the linker wrote them, without the place where the library was loaded."""
import struct
import sys

source, target = sys.argv[1:]
data = bytearray(open(source, 'rb').read())
assert data[:5] == b'\x7fELF\x02', 'a 64-bit ELF file is needed'
(offset,) = struct.unpack_from('<Q', data, 32)
entry_size, count = struct.unpack_from('<HH', data, 54)
changed = 0
for i in range(count):
    kind, flags = struct.unpack_from('<II', data, offset + i * entry_size)
    if kind == 2:  # PT_DYNAMIC
        struct.pack_into('<I', data, offset + i * entry_size + 4, flags & ~2)  # PF_W
        changed += 1
assert changed == 1, 'one PT_DYNAMIC is needed'
open(target, 'wb').write(data)
