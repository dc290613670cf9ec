"""Checks what the built libsgemm_shim.so shows to the loader and the linker: it is loaded into every process of a
preloaded session, so a stray export, dependency or symbol version breaks programs that have nothing to do with it.

With --every-check-must-fail it is given a library that does everything wrong, and fails unless each check notices."""
import argparse
import re
import subprocess
import sys

ALLOWED_NEEDED = re.compile(r'libc\.so\.6|libm\.so\.6|ld-linux.*\.so\.\d')


class Library:
    """What readelf says of a library."""

    def __init__(self, readelf, path):
        def read(*options):
            return subprocess.run([readelf, '--wide', *options, path], check=True, text=True,
                                  stdout=subprocess.PIPE).stdout

        self.dynamic = read('--dynamic')
        self.relocations = read('--relocs')
        self.headers = read('--program-headers')
        self.versions = read('--version-info')
        self.symbols = [line.split() for line in read('--dyn-syms').splitlines() if re.match(r'\s+\d+:', line)]

    def tags(self, name):
        return re.findall(r'\(%s\)\s+(.*)' % name, self.dynamic)

    def exports(self):
        """Names with their versions, 'name' or 'name@@version'."""
        return {symbol[7] for symbol in self.symbols
                if len(symbol) > 7 and symbol[6] != 'UND' and symbol[4] in ('GLOBAL', 'WEAK', 'UNIQUE')}


def expected_exports(symbol_map, header):
    """The names of the version script, with sgemm_shim_* replaced by the functions that the header declares."""
    text = re.sub(r'/\*.*?\*/', '', open(symbol_map).read(), flags=re.S)
    listed = set(re.findall(r'([\w*]+);', text.split('global:')[1].split('local:')[0]))
    declared = set(re.findall(r'SGEMM_SHIM_API[^;]*?\b(sgemm_shim_\w+)\s*\(', open(header).read()))
    assert 'sgemm_shim_*' in listed and declared, 'the symbol map or the header is not as this check expects'
    return (listed - {'sgemm_shim_*'}) | declared


def check_exports(library, options):
    expected = expected_exports(options.map, options.header)
    found = {name.split('@')[0] for name in library.exports()}
    return ['exports %s' % name for name in sorted(found - expected)] + \
           ['does not export %s' % name for name in sorted(expected - found)]


def check_own_calls(library, options):
    """A stub of the dlsym hook that ended in another library of the same names would mislead this one's next call."""
    ours = {name.split('@')[0] for name in library.exports() if '@' not in name} | {'cublasSgemm'}
    return ['leaves its own use of %s to whichever library comes first' % name
            for name in sorted(ours & set(re.findall(r'R_\w+\s+\w+\s+([A-Za-z_]\w*)', library.relocations)))]


def check_v1(library, options):
    return ['exports cublasSgemm, which is the v1 function of another signature'
            for name in library.exports() if name.split('@')[0] == 'cublasSgemm']


def check_version_node(library, options):
    problems = ['%s carries a version, and so catches no reference to cuBLAS' % name
                for name in sorted(library.exports()) if '@' in name]
    if 'Version definition section' in library.versions:
        problems.append('defines symbol versions')
    return problems


def check_soname(library, options):
    """A library that bears cuBLAS's or cublasLt's name stands in its place, and owes the loader every symbol of it, the
    private ones too. This one stands before it, under a name of its own."""
    return ['is called %s' % name for name in library.tags('SONAME') or ['nothing']
            if re.search(r'\[libsgemm_shim\.so\.\d+\]', name) is None]


def check_needed(library, options):
    needed = re.findall(r'\(NEEDED\).*\[(.*)\]', library.dynamic)
    return ['needs ' + name for name in needed if not ALLOWED_NEEDED.fullmatch(name)]


def check_glibc(library, options):
    def number(version):
        return tuple(int(part) for part in version.split('.'))

    versions = set(re.findall(r'GLIBC_([\d.]+)', library.versions))
    if not versions:
        return ['binds no version of the C library: readelf was misread']
    too_new = {version for version in versions if number(version) > number(options.newest_glibc)}
    return ['binds GLIBC_%s: %s' % (version, ' '.join(sorted(
        symbol[7] for symbol in library.symbols if len(symbol) > 7 and symbol[7].endswith('@GLIBC_' + version))))
        for version in sorted(too_new)]


def check_stack(library, options):
    flags = re.findall(r'GNU_STACK(?:\s+0x\w+){5}\s+([RWE ]+?)\s+0x', library.headers)
    if not flags:
        return ['has no GNU_STACK header: the stack becomes executable']
    return ['asks for an executable stack' for flag in flags if 'E' in flag]


def check_text_relocations(library, options):
    found = library.tags('TEXTREL') or any('TEXTREL' in flags for flags in library.tags('FLAGS'))
    return ['has text relocations'] if found else []


def check_binding(library, options):
    now = any('NOW' in flags for flags in library.tags('FLAGS') + library.tags('FLAGS_1')) or \
        library.tags('BIND_NOW')
    return [] if now else ['is bound lazily']


def check_unloading(library, options):
    return [] if any('NODELETE' in flags for flags in library.tags('FLAGS_1')) else ['can be unloaded']


def check_static_tls(library, options):
    return ['takes room in the static thread-local block, which a program that loads it late has not'
            for flags in library.tags('FLAGS') if 'STATIC_TLS' in flags]


def check_thread_locals(library, options):
    """The CUDA runtime's page and nothing else: with more, threads with the smallest stack cannot be started."""
    sizes = re.findall(r'^\s*TLS\s+(?:0x\w+\s+){4}(0x\w+)', library.headers, re.M)
    return ['has %s bytes of thread-local variables' % size for size in sizes if int(size, 16) > 0x1000]


def check_run_path(library, options):
    return ['has a run path: ' + path for path in library.tags('RPATH') + library.tags('RUNPATH')]


CHECKS = [check_exports, check_own_calls, check_v1, check_version_node, check_soname, check_needed, check_glibc, check_stack,
          check_text_relocations, check_binding, check_unloading, check_static_tls, check_thread_locals,
          check_run_path]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('library')
    parser.add_argument('--readelf', required=True)
    parser.add_argument('--map', required=True)
    parser.add_argument('--header', required=True)
    parser.add_argument('--newest-glibc', default='2.34')
    parser.add_argument('--every-check-must-fail', action='store_true')
    options = parser.parse_args()

    library = Library(options.readelf, options.library)
    failed = False
    for check in CHECKS:
        problems = check(library, options)
        name = check.__name__.removeprefix('check_').replace('_', ' ')
        print('%-18s %s' % (name, '; '.join(problems) or 'ok'))
        failed |= bool(problems) != options.every_check_must_fail
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
