"""The dlsym hook for 64-bit ARM, run: builds the library's host side and the programs of these tests with a cross compiler, and lets
dlsym_test run them in an emulator. There is no CUDA in that library: every function of its runtime says that the driver is too old,
and the kernels are zeros, which nothing asks for then. Exit status 77: there is no cross compiler or no emulator.

Lists of compiler arguments are given with a line for each.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

COMPILER, NM, EMULATOR = "aarch64-linux-gnu-g++", "aarch64-linux-gnu-nm", "qemu-aarch64"
INSUFFICIENT_DRIVER = 35  # cudaErrorInsufficientDriver
LARGEST_ROW = 512  # bytes, more than a KernelImplementation has
# What has no program of its own to run: the system's are for this processor, and so is the real cuBLAS.
LEFT_OUT = "the real cuBLAS *,ctypes*,a look-up in a constructor*,a bad setting *"


class Build:
    def __init__(self, settings):
        self.settings = settings
        self.out = settings.folder
        for folder in ("dlsym", "objects", "stand_in_12", "stand_in_13", "stand_in_13_old"):
            os.makedirs(os.path.join(self.out, folder), exist_ok=True)

    def compile(self, output, sources, *arguments):
        includes = [argument for folder in self.settings.include for argument in ("-I", folder)]
        subprocess.run([COMPILER, "-std=c++20", "-O2", "-fPIC", *includes, *sources, *arguments, "-o", os.path.join(self.out, output)],
                       check=True)

    def source(self, name):
        return os.path.join(self.settings.sources, name)

    def undefined(self, objects):
        """What the objects need of the CUDA runtime and of the kernels."""
        def symbols(*options):
            listed = subprocess.run([NM, *options, *objects], check=True, text=True, stdout=subprocess.PIPE).stdout
            return {line.split()[-1] for line in listed.splitlines() if line and not line.endswith(":")}
        needed = symbols("--undefined-only") - symbols("--defined-only")
        return (sorted(name for name in needed if re.match(r"cuda[A-Z]", name)),
                sorted(name for name in needed if re.match(r"_ZN10sgemm_shim7kernels", name)))

    def shim(self):
        def compile_one(source):
            name = os.path.join("objects", os.path.basename(source) + ".o")
            self.compile(name, [source], *self.settings.shim_arguments, "-fvisibility=hidden", "-c")
            return os.path.join(self.out, name)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            objects = list(pool.map(compile_one, self.settings.shim_sources))
        functions, kernels = self.undefined(objects)
        if not functions or not kernels:
            sys.exit("the library needs no CUDA: this script looks for the wrong names")
        lines = ["    .text"]
        lines += [f"    .globl {name}\n{name}:" for name in functions]
        lines += [f"    mov w0, #{INSUFFICIENT_DRIVER}", "    ret", "    .bss"]
        lines += [f"    .balign 16\n    .globl {name}\n{name}: .skip {LARGEST_ROW}" for name in kernels]
        lines += ['    .section .note.GNU-stack, "", %progbits', ""]
        stand_ins = os.path.join(self.out, "objects/no_cuda.s")
        with open(stand_ins, "w", encoding="ascii") as file:
            file.write("\n".join(lines))
        # The name that the tests expect an answer to come from.
        self.compile("libsgemm_shim.so.0.1.0", [*objects, stand_ins], "-shared", "-Wl,-soname,libsgemm_shim.so.0",
                     *self.settings.shim_link_arguments, "-static-libstdc++", "-static-libgcc")

    def stand_in(self, folder, major, *arguments):
        self.compile(f"{folder}/libcublas.so.{major}", [self.source("stand_in.cpp")], "-shared", f"-Wl,-soname,libcublas.so.{major}",
                     f"-DSTAND_IN_MAJOR={major}", *self.settings.stand_in_link_arguments, *arguments)

    def programs(self):
        def linked_to(folder, major):
            path = os.path.join(self.out, folder)
            return [os.path.join(path, f"libcublas.so.{major}"), "-Wl,-rpath," + path]
        modules = ("-shared",)
        cublas_13 = linked_to("stand_in_13", 13)
        self.compile("plugin_host", [self.source("plugin_host.cpp")])
        self.compile("plugin_12.so", [self.source("plugin.cpp")], *modules, *linked_to("stand_in_12", 12))
        self.compile("plugin_13.so", [self.source("plugin.cpp")], *modules, *cublas_13)
        folder = os.path.join(self.out, "dlsym")
        self.compile("dlsym/lookup_caller", [self.source("dlsym/lookup_caller.cpp")], "-pthread")
        self.compile("dlsym/lookup_caller_old", [self.source("dlsym/lookup_caller.cpp")], "-pthread", "-DBUILT_LONG_AGO")
        self.compile("dlsym/libnext_back.so", [self.source("dlsym/next.cpp")], *modules)
        next_back = [os.path.join(folder, "libnext_back.so"), "-Wl,-rpath," + folder]
        self.compile("dlsym/libnext_front.so", [self.source("dlsym/next.cpp")], *modules, "-DNEXT_IS_FRONT", *next_back, *cublas_13)
        self.compile("dlsym/lookup_answers", [self.source("dlsym/lookup_answers.cpp")], os.path.join(folder, "libnext_front.so"),
                     "-Wl,-rpath," + folder, *next_back, *cublas_13)
        for module in ("lookup_plugin", "foreign", "other_hook"):
            self.compile(f"dlsym/{module}.so", [self.source(f"dlsym/{module}.cpp")], *modules)


def main():
    missing = [tool for tool in (COMPILER, NM, EMULATOR) if shutil.which(tool) is None]
    if missing:
        print("not here:", ", ".join(missing))
        return 77
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", required=True, help="where everything is built")
    parser.add_argument("--sources", required=True, help="tests/preload")
    parser.add_argument("--dlsym-test", required=True)
    parser.add_argument("--include", action="append", default=[])
    for of in ("shim", "shim-link", "stand-in-link"):
        parser.add_argument(f"--{of}-arguments", type=str.splitlines, required=True)
    parser.add_argument("shim_sources", nargs="+")
    settings = parser.parse_args()
    build = Build(settings)
    build.shim()
    build.stand_in("stand_in_12", 12)
    build.stand_in("stand_in_13", 13)
    build.stand_in("stand_in_13_old", 13, "-DSTAND_IN_IS_OLD")
    build.programs()
    sysroot = subprocess.run([COMPILER, "-print-file-name=libc.so"], check=True, text=True, stdout=subprocess.PIPE).stdout.strip()
    environment = {**os.environ,
                   "SGEMM_TEST_EMULATOR": EMULATOR,
                   # Debian keeps the loader and the libraries of the other processor below /usr/aarch64-linux-gnu.
                   "QEMU_LD_PREFIX": os.path.dirname(os.path.dirname(os.path.realpath(sysroot))),
                   "SHIM": os.path.join(settings.folder, "libsgemm_shim.so.0.1.0"),
                   "PRELOAD_PROGRAMS": settings.folder,
                   "PRELOAD_SOURCES": settings.sources}
    return subprocess.run([os.path.abspath(settings.dlsym_test), "--test-case-exclude=" + LEFT_OUT], env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
