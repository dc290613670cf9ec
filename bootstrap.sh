#!/usr/bin/env bash
# One command from a fresh Debian or Ubuntu machine to a running program; see usage below.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")"

usage() {
    cat <<'TEXT'
usage: ./bootstrap.sh [--local-cuda] demo [size] | test | build | cuda12 | env | --help

  demo [size]   build, then multiply size x size matrices (default 4096) with a plain cuBLAS program, alone and
                under LD_PRELOAD, and show both results, both speeds and the kernel that served; without a GPU
                (default 256 then) on a software GPU, whose speeds say nothing
  test          build, then run every test; tests that need a GPU are skipped where there is none
  build         build only, in ./build
  cuda12        fetch what the tests of CUDA 12 need (0.6 GB, into .tools); they are skipped without
  env           print the shell variables of this tool set, for work by hand:  eval "$(./bootstrap.sh env)"

  --local-cuda  take the CUDA compiler from PyPI wheels even if there is one on this machine

Installs what is missing first: compilers, doctest and the like with apt (sudo if not root); Meson, Ninja,
clang-format and, where no usable CUDA toolkit (12.5 or newer) is found, that as well, as pinned PyPI wheels
in ./.tools. Nothing else outside ./build and ./.tools is touched, and a second run finds all in place.
TEXT
}

# shellcheck source=tools/common.sh
. tools/common.sh
# shellcheck source=tools/demo.sh
. tools/demo.sh

words=()
for word in "$@"; do
    if [ "$word" = --local-cuda ]; then LOCAL_CUDA=1; else words+=("$word"); fi
done
set -- ${words[@]+"${words[@]}"}
command=${1:---help}
case $PWD in *[[:space:]:]*) die "the path of this folder has a space or a colon, which LD_PRELOAD cannot hold: $PWD" ;; esac
case $command:$# in
    demo:[12] | test:1 | build:1 | cuda12:1 | env:1 | -h:1 | --help:[01] | help:1) ;;
    *)
        usage >&2
        exit 2
        ;;
esac
case $command in
    demo)
        [[ ${2:-1} =~ ^[1-9][0-9]{0,4}$ ]] || die "demo: size must be a whole number from 1 to 99999"
        need_everything
        configure build
        run_demo build "$cuda_library_directory" "${@:2}"
        ;;
    test)
        need_everything cmake
        configure_and_build build
        run_tests build
        ;;
    build)
        need_everything
        configure_and_build build
        ;;
    cuda12)
        need_packages
        need_python_tools
        install_cuda12
        ;;
    env)
        need_everything >&2
        printf 'export PATH=%q CUDA_PATH=%q CXX=%q NVCC_CCBIN=%q\n' "$PATH" "$CUDA_PATH" "$CXX" "$NVCC_CCBIN"
        # shellcheck disable=SC2016 # for the shell that evaluates it
        printf 'export LD_LIBRARY_PATH=%q${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}\n' "$cuda_library_directory"
        ;;
    *) usage ;;
esac
