"""check_assembly.py SOURCE READELF [CLANG]
Assembles the dlsym hook for 64-bit ARM and checks what the C++ side and the linker rely on: the exported and the hidden
symbol, one stub of the agreed size for each function and library, and a stack that stays unexecutable.
Exit status 77: there is no clang to do it with."""
import os
import re
import subprocess
import sys
import tempfile


def read(readelf, option, path):
    return subprocess.run([readelf, '--wide', option, path], check=True, text=True, stdout=subprocess.PIPE).stdout


def problems_of(source, readelf, clang):
    header = open(os.path.join(os.path.dirname(source), 'interposed_functions.h')).read()
    functions = re.findall(r'function\((cublas\w+)\)', header)
    size, libraries = (int(re.search(r'#define SGEMM_SHIM_STUB_%s (\d+)' % name, header).group(1))
                       for name in ('SIZE', 'LIBRARIES'))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'hook.o')
        subprocess.run([clang, '--target=aarch64-linux-gnu', '-Wall', '-Werror', '-c', source, '-o', path], check=True)
        sections, relocations = read(readelf, '--sections', path), read(readelf, '--relocs', path)
        symbols = {line.split()[7]: line.split() for line in read(readelf, '--syms', path).splitlines()
                   if len(line.split()) == 8}
    if 'R_AARCH64' not in relocations:
        yield 'is not for 64-bit ARM'
    if symbols['dlsym'][3:6] != ['FUNC', 'GLOBAL', 'DEFAULT']:
        yield 'dlsym is not an exported function'
    stubs = symbols['sgemm_shim_stubs']
    if stubs[5] != 'HIDDEN':
        yield 'the stubs are exported'
    if not functions or int(stubs[2], 0) != size * libraries * len(functions) or int(stubs[1], 16) % size != 0:
        yield 'the stubs are not where the C++ side looks for them'
    for function in functions:
        if len(re.findall(r'R_AARCH64_JUMP26 .* %s \+ 0' % function, relocations)) != libraries:
            yield '%s has not one stub for each library' % function
    note = re.search(r'\.note\.GNU-stack +PROGBITS +\w+ \w+ \w+ \w+ +(\w*) +\d', sections)
    if note is None or 'X' in note.group(1):
        yield 'the stack becomes executable'


def main():
    if len(sys.argv) < 4:
        print('no clang')
        return 77
    problems = list(problems_of(*sys.argv[1:4]))
    print('\n'.join(problems) or 'ok')
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
