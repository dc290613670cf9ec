"""check_headers.py BUILD_DIR CUDA_ROOT WHEELS [FOLDER...]
Compiles the host sources below FOLDER (default: lib, interpose and examples) with the headers of CUDA 12 in the place of
those that the build uses, warnings as errors, and throws the result away. CUDA_ROOT is the build's toolkit, WHEELS the folder
that `./bootstrap.sh cuda12` fills. Device code needs nvcc of CUDA 12, which no wheel brings.
Exit status: 77 if the wheels are not there."""
import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys

PACKAGES = ['cublas', 'cuda_runtime', 'cuda_nvcc']


def commands(build, toolkit, includes, folders):
    """The compile commands with the other headers. Only those that look into the toolkit at all."""
    for entry in json.load(open(os.path.join(build, 'compile_commands.json'))):
        path = os.path.normpath(os.path.join(build, entry['file']))
        if not path.endswith('.cpp') or not any(path.startswith(folder + os.sep) for folder in folders):
            continue
        words = shlex.split(entry['command'])
        if not any(is_toolkit(word, toolkit) for word in words):
            continue
        kept = [word for word in words[:words.index('-MD')] if not is_toolkit(word, toolkit)]
        yield path, kept + ['-isystem' + folder for folder in includes] + ['-Werror', '-fsyntax-only', path]


def is_toolkit(word, toolkit):
    return word.startswith('-I/') and os.path.realpath(word[2:]).startswith(os.path.realpath(toolkit) + os.sep)


def version_of(includes):
    """What the compiler will see, from the headers themselves."""
    text = open(os.path.join(includes[0], 'cublas_api.h')).read()
    return [int(re.search(r'#define CUBLAS_VER_%s (\d+)' % part, text).group(1)) for part in ('MAJOR', 'MINOR')]


def main():
    build, toolkit, wheels, *folders = sys.argv[1:]
    build = os.path.abspath(build)
    includes = [os.path.join(os.path.abspath(wheels), 'nvidia', package, 'include') for package in PACKAGES]
    if not all(os.path.isdir(folder) for folder in includes):
        print('skipped: no CUDA 12 headers in %s; ./bootstrap.sh cuda12 fetches them' % wheels)
        return 77
    version = version_of(includes)
    if version[0] != 12:
        print('the headers are those of cuBLAS %d.%d' % tuple(version))
        return 1
    project = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..'))
    folders = [os.path.join(project, folder) for folder in folders or ['lib', 'interpose', 'examples']]
    todo = list(commands(build, toolkit, includes, folders))

    def compile_one(item):
        return item[0], subprocess.run(item[1], cwd=build, text=True, stderr=subprocess.PIPE)

    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, result in pool.map(compile_one, todo):
            if result.returncode != 0:
                failed += 1
                print('%s:\n%s' % (os.path.relpath(path, project), result.stderr))
    print('cuBLAS %d.%d: %d sources, %d do not compile' % (*version, len(todo), failed))
    return 1 if failed or len(todo) == 0 else 0


if __name__ == '__main__':
    sys.exit(main())
