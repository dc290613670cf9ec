"""check_assembly.py PROCESSOR SOURCES READELF [CLANG]
Assembles the dlsym hook for a processor and checks what the C++ side and the linker rely on: the exported and the hidden
symbol, one stub of the agreed size for each function and library, and a stack that stays unexecutable. SOURCES is the
folder of the project. Exit status 77: there is no clang to do it with."""
import os
import re
import subprocess
import sys
import tempfile


def read(readelf, option, path):
    return subprocess.run([readelf, '--wide', option, path], check=True, text=True, stdout=subprocess.PIPE).stdout


# A jump to a function, as the linker sees it.
JUMPS = {'x86_64': r'R_X86_64_PLT32 .* %s - 4', 'aarch64': r'R_AARCH64_JUMP26 .* %s \+ 0'}


def problems_of(processor, sources, readelf, clang):
    lib, interpose = os.path.join(sources, 'lib'), os.path.join(sources, 'interpose')
    header = open(os.path.join(interpose, 'interposed_functions.h')).read()
    source = os.path.join(interpose, 'dlsym_hook_%s.S' % processor)
    products = re.findall(r'(?:function|overloaded)\(\w+, (cublas\w+)\)', open(os.path.join(lib, 'entry_points.h')).read())
    helpers = re.findall(r'function\((cublas\w+)\)', header)
    functions = products + helpers
    size, libraries = (int(re.search(r'#define SGEMM_SHIM_STUB_%s (\d+)' % name, header).group(1))
                       for name in ('SIZE', 'LIBRARIES'))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'hook.o')
        subprocess.run([clang, '--target=%s-linux-gnu' % processor, '-Wall', '-Werror', '-I', lib, '-c', source, '-o', path], check=True)
        sections, relocations = read(readelf, '--sections', path), read(readelf, '--relocs', path)
        symbols = {line.split()[7]: line.split() for line in read(readelf, '--syms', path).splitlines()
                   if len(line.split()) == 8}
    if symbols['dlsym'][3:6] != ['FUNC', 'GLOBAL', 'DEFAULT']:
        yield 'dlsym is not an exported function'
    stubs = symbols['sgemm_shim_stubs']
    if stubs[5] != 'HIDDEN':
        yield 'the stubs are exported'
    if not products or not helpers or int(stubs[2], 0) != size * libraries * len(functions) or int(stubs[1], 16) % size != 0:
        yield 'the stubs are not where the C++ side looks for them'
    for function in functions:
        if len(re.findall(JUMPS[processor] % function, relocations)) != libraries:
            yield '%s has not one stub for each library' % function
    note = re.search(r'\.note\.GNU-stack +PROGBITS +\w+ \w+ \w+ \w+ +(\w*) +\d', sections)
    if note is None or 'X' in note.group(1):
        yield 'the stack becomes executable'


def main():
    if len(sys.argv) < 5:
        print('no clang')
        return 77
    problems = list(problems_of(*sys.argv[1:5]))
    print('\n'.join(problems) or 'ok')
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
