# shellcheck shell=bash
# What bootstrap.sh and .ci/run share: find or install what the build needs, configure, build, test.
# Sourced with the working directory at the top of the project. Everything installed here goes through the
# system's package manager or into .tools/, which git ignores; removing .tools/ undoes it.

tools_dir=$PWD/.tools
python_tools=(meson==1.12.1 ninja==1.13.2 clang-format==14.0.6)
# One CUDA release, taken apart: these versions fit together. --no-deps, because nothing else of CUDA is needed.
cuda_wheels=(
    nvidia-cuda-nvcc==13.0.88 nvidia-nvvm==13.0.88 nvidia-cuda-crt==13.0.88
    nvidia-cuda-runtime==13.0.96 nvidia-cuda-cccl==13.0.85 nvidia-cublas==13.1.0.3)
# Read the machine code of any release before them.
disassembler_wheels=(nvidia-cuda-cuobjdump==13.2.51 nvidia-cuda-nvdisasm==13.2.51)
# The oldest CUDA 12 that a build may use, for the tests of it: the real cuBLAS, and headers. None brings an nvcc.
cuda12_wheels=(nvidia-cublas-cu12==12.5.3.2 nvidia-cuda-runtime-cu12==12.5.82 nvidia-cuda-nvcc-cu12==12.5.82)
minimum_cuda=12.5
minimum_gcc=12

say() { printf '%s\n' "-- $*"; }

die() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

# at_least WANTED FOUND: whether dotted version FOUND is WANTED or newer.
at_least() { [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]; }

# ---- packages of the distribution -------------------------------------------------------------------------

# sudo asks for its password on the terminal, whatever standard input is.
has_terminal() { { : >/dev/tty; } 2>/dev/null; }

as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

# install_packages PACKAGE...: one transaction; all that it needs to say goes into one line if it cannot start.
install_packages() {
    command -v apt-get >/dev/null || die "please install: $* (this is not Debian or Ubuntu, so not done here)"
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null ||
            die "please run as root: apt-get update && apt-get install $* (neither root nor sudo here)"
        has_terminal || sudo -n true 2>/dev/null ||
            die "please run as root: apt-get update && apt-get install $* (sudo wants a password, and has no terminal to ask on)"
    fi
    say "installing packages: $*"
    as_root apt-get update -qq </dev/null || say "apt-get update failed; trying with the lists there are"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq -o Dpkg::Use-Pty=0 --no-install-recommends "$@" </dev/null ||
        die "could not install: $* (run as root: apt-get install $*)"
}

gcc_major() { "$1" -dumpversion 2>/dev/null | cut -d . -f 1; }

is_usable_gcc() {
    command -v "$1" >/dev/null && "$1" --version | grep -q 'Free Software Foundation' && [ "$(gcc_major "$1")" -ge "$minimum_gcc" ]
}

# Every g++ that is new enough, best first: $CXX, the system's own, numbered ones.
gcc_candidates() {
    local candidate
    for candidate in ${CXX:+"$CXX"} g++ g++-15 g++-14 g++-13 g++-12; do
        if is_usable_gcc "$candidate"; then printf '%s\n' "$candidate"; fi
    done
}

# The first of them, or nothing.
find_gcc() { gcc_candidates | sed -n 1p; }

has_header() { # HEADER: in a place where the host compiler looks without being told
    local directory
    for directory in /usr/include /usr/local/include; do
        [ -e "$directory/$1" ] && return
    done
    printf '#include <%s>\n' "$1" | "$host_compiler" -x c++ -fsyntax-only - 2>/dev/null
}

# Part of clang, in a package of its own on some releases. Finding out takes a second, so a yes is remembered.
need_libfuzzer() {
    local major accepted=$tools_dir/accepted-libfuzzer
    major=$(clang++ -dumpversion | cut -d . -f 1)
    is_stamped "$accepted" "$major" && return
    tests/fuzz/check_libfuzzer.sh clang++ 2>/dev/null || install_packages "libclang-rt-$major-dev"
    mkdir -p "$tools_dir"
    stamp "$accepted" "$major"
}

# need_packages [PACKAGE...]: what every build needs, and the given ones if their command is missing.
need_packages() {
    local missing=() extra
    if [ -n "${CXX:-}" ] && ! is_usable_gcc "$CXX"; then say "CXX=$CXX is no g++ $minimum_gcc or newer: passed over"; fi
    host_compiler=$(find_gcc)
    if [ -z "$host_compiler" ]; then
        # A release whose g++ is too old (Ubuntu 22.04) has a numbered one beside it.
        if command -v g++ >/dev/null; then missing+=("g++-$minimum_gcc"); else missing+=(g++); fi
    fi
    python3 -c 'import ensurepip, venv' 2>/dev/null || missing+=(python3-venv)
    command -v pkg-config >/dev/null || missing+=(pkg-config)
    command -v readelf >/dev/null && command -v objdump >/dev/null || missing+=(binutils)
    # Meson asks it where this distribution's libraries lie, and would install into lib64 without.
    command -v dpkg-architecture >/dev/null || ! command -v apt-get >/dev/null || missing+=(dpkg-dev)
    # The tests are fuzzed by clang's libFuzzer; on their software GPU, Boost switches between threads.
    command -v clang++ >/dev/null || missing+=(clang)
    if [ -n "$host_compiler" ]; then
        has_header doctest/doctest.h || missing+=(doctest-dev)
        has_header boost/context/fiber.hpp || missing+=(libboost-context-dev)
        # The BLAS of the tests' stand-in for cuBLAS.
        has_header cblas.h || missing+=(libblas-dev)
    else
        missing+=(doctest-dev libboost-context-dev libblas-dev)
    fi
    for extra in "$@"; do
        command -v "$extra" >/dev/null || missing+=("$extra")
    done
    if [ "${#missing[@]}" -gt 0 ]; then
        install_packages "${missing[@]}"
        host_compiler=$(find_gcc)
        if [ -z "$host_compiler" ]; then
            install_packages "g++-$minimum_gcc"
            host_compiler=$(find_gcc)
        fi
    fi
    [ -n "$host_compiler" ] || die "no g++ $minimum_gcc or newer"
    need_libfuzzer
    export CXX=$host_compiler
}

# ---- wheels in .tools -------------------------------------------------------------------------------------

# is_stamped FILE TEXT / stamp FILE TEXT: what was installed there last, so that a second run has nothing to do.
is_stamped() { [ -e "$1" ] && [ "$(cat "$1")" = "$2" ]; }
stamp() { printf '%s\n' "$2" >"$1"; }

# The compiler takes more than a gigabyte while it is unpacked, and /tmp can be a disk in memory.
install_wheels() { # PIP-ARGUMENTS...
    local status=0
    mkdir -p "$tools_dir/unpacking"
    TMPDIR=$tools_dir/unpacking \
        "$tools_dir/venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-input "$@" </dev/null || status=$?
    rm -rf "$tools_dir/unpacking"
    return "$status"
}

need_python_tools() {
    local venv=$tools_dir/venv
    if ! is_stamped "$venv/installed" "${python_tools[*]}"; then
        say "installing into .tools/venv: ${python_tools[*]}"
        mkdir -p "$tools_dir"
        "$venv/bin/python" -c '' 2>/dev/null || python3 -m venv --clear "$venv" || die "python3 -m venv failed"
        install_wheels "${python_tools[@]}" || die "could not install ${python_tools[*]} with pip"
        stamp "$venv/installed" "${python_tools[*]}"
    fi
    PATH=$venv/bin:$PATH
}

# ---- CUDA -------------------------------------------------------------------------------------------------

# toolkit_library_directory ROOT: the place of its libraries, or nothing.
toolkit_library_directory() {
    local directory
    for directory in "$1/lib64" "$1/lib" "$1"/targets/*-linux/lib; do
        if [ -e "$directory/libcudart_static.a" ] && [ -e "$directory/libcublas.so" ]; then
            (cd "$directory" && pwd -P)
            return
        fi
    done
}

# is_usable_toolkit ROOT: new enough and complete.
is_usable_toolkit() {
    [ -x "$1/bin/nvcc" ] && [ -e "$1/include/cublas_v2.h" ] && [ -n "$(toolkit_library_directory "$1")" ] &&
        at_least "$minimum_cuda" "$(toolkit_version "$1")"
}
toolkit_version() { "$1/bin/nvcc" --version | sed -n 's/.*release \([0-9.]*\).*/\1/p'; }

# is_on_terms ROOT COMPILER: whether the toolkit takes the host compiler, which may be too new for it. Finding out takes a
# second, so a yes is remembered.
is_on_terms() {
    local nvcc=$1/bin/nvcc accepted=$tools_dir/accepted-nvcc wanted
    wanted="$nvcc $(toolkit_version "$1") $2 $(gcc_major "$2")"
    is_stamped "$accepted" "$wanted" && return
    mkdir -p "$tools_dir"
    printf '#include <cuda_runtime.h>\n__global__ void nothing() {}\n' >"$tools_dir/probe.cu"
    "$nvcc" -ccbin "$2" -std=c++20 -c -o "$tools_dir/probe.o" "$tools_dir/probe.cu" >"$tools_dir/probe.log" 2>&1 ||
        return
    rm -f "$tools_dir"/probe.*
    stamp "$accepted" "$wanted"
}

# take_toolkit ROOT: with the first compiler that it takes, sets CUDA_PATH_FOUND and CXX.
take_toolkit() {
    local compiler
    is_usable_toolkit "$1" || return
    for compiler in $(gcc_candidates); do
        if is_on_terms "$1" "$compiler"; then
            CUDA_PATH_FOUND=$1 CXX=$compiler
            return
        fi
    done
    return 1
}

# The roots where a toolkit may be, best first.
toolkit_candidates() {
    local variable nvcc
    for variable in CUDA_PATH CUDA_HOME CUDA_ROOT; do
        [ -n "${!variable:-}" ] && printf '%s\n' "${!variable}"
    done
    if nvcc=$(command -v nvcc); then
        nvcc=$(readlink -f "$nvcc")
        printf '%s\n' "${nvcc%/bin/nvcc}"
    fi
    printf '%s\n' /usr/local/cuda
}

install_cuda_wheels() {
    local root=$tools_dir/cuda-wheels/nvidia/cu13 machine library
    is_stamped "$tools_dir/cuda-wheels/installed" "${cuda_wheels[*]}" && return
    say "no usable CUDA toolkit found; installing into .tools/cuda-wheels (0.9 GB): ${cuda_wheels[*]}"
    rm -rf "$tools_dir/cuda-wheels" "$tools_dir/cuda"
    install_wheels --no-deps --no-compile --target "$tools_dir/cuda-wheels" "${cuda_wheels[@]}" ||
        die "could not install the CUDA wheels with pip"
    # nvcc and Meson expect the layout of NVIDIA's installer.
    ln -sfn lib "$root/lib64"
    for library in "$root"/lib/*.so.[0-9]*; do
        ln -sfn "${library##*/}" "${library%.so.*}.so"
    done
    case $(uname -m) in aarch64) machine=sbsa ;; *) machine=$(uname -m) ;; esac
    mkdir -p "$root/targets/$machine-linux"
    ln -sfn ../../lib "$root/targets/$machine-linux/lib"
    ln -sfn ../../include "$root/targets/$machine-linux/include"
    ln -sfn cuda-wheels/nvidia/cu13 "$tools_dir/cuda"
    stamp "$tools_dir/cuda-wheels/installed" "${cuda_wheels[*]}"
}

# need_cuda: sets CUDA_PATH, PATH and cuda_library_directory. LOCAL_CUDA=1 passes over a toolkit of the system.
need_cuda() {
    local root
    CUDA_PATH_FOUND=
    if [ "${LOCAL_CUDA:-0}" != 1 ]; then
        while read -r root; do
            take_toolkit "$root" && break
            case $root in
                "${CUDA_PATH:-}" | "${CUDA_HOME:-}" | "${CUDA_ROOT:-}")
                    say "no CUDA toolkit $minimum_cuda or newer that works with a g++ here: $root; looking further"
                    ;;
            esac
        done < <(toolkit_candidates)
    fi
    if [ -z "$CUDA_PATH_FOUND" ]; then
        install_cuda_wheels
        is_usable_toolkit "$tools_dir/cuda" || die "the CUDA toolkit in .tools/cuda-wheels is not complete; remove .tools"
        take_toolkit "$tools_dir/cuda" ||
            die "the CUDA compiler in .tools/cuda works with none of: $(gcc_candidates | paste -s -d ' ');" \
                "install an older one, as g++-14 (.tools/probe.log: $(grep -m 1 error "$tools_dir/probe.log"))"
    fi
    cuda_library_directory=$(toolkit_library_directory "$CUDA_PATH_FOUND")
    # Other spellings of the variable could name another toolkit.
    unset CUDA_HOME CUDA_ROOT
    export CUDA_PATH=$CUDA_PATH_FOUND PATH=$CUDA_PATH_FOUND/bin:$PATH NVCC_CCBIN=$CXX
}

# need_disassembler: for the tests that look at the kernels' machine code. Small toolkits come without it; where it
# cannot be had those tests are skipped.
need_disassembler() {
    local root=$tools_dir/disassembler
    command -v cuobjdump >/dev/null && command -v nvdisasm >/dev/null && return
    if ! is_stamped "$root/installed" "${disassembler_wheels[*]}"; then
        say "installing into .tools/disassembler: ${disassembler_wheels[*]}"
        rm -rf "$root"
        if ! install_wheels --no-deps --no-compile --target "$root" "${disassembler_wheels[@]}"; then
            say "could not install ${disassembler_wheels[*]} with pip"
            return 0
        fi
        stamp "$root/installed" "${disassembler_wheels[*]}"
    fi
    PATH=$root/nvidia/cu13/bin:$PATH
}

# install_cuda12: what the tests in tests/cuda12 are skipped without.
install_cuda12() {
    local root=$tools_dir/cuda12
    is_stamped "$root/installed" "${cuda12_wheels[*]}" && return
    say "installing into .tools/cuda12 (0.6 GB): ${cuda12_wheels[*]}"
    rm -rf "$root"
    install_wheels --no-deps --no-compile --target "$root" "${cuda12_wheels[@]}" ||
        die "could not install ${cuda12_wheels[*]} with pip"
    stamp "$root/installed" "${cuda12_wheels[*]}"
}

# ---- build and test ---------------------------------------------------------------------------------------

need_everything() { # [EXTRA-PACKAGE...]
    need_packages "$@"
    need_python_tools
    need_cuda
    need_disassembler
}

# configure DIRECTORY [MESON-SETUP-OPTION...]
configure() {
    local directory=$1 wanted
    shift
    wanted="$CUDA_PATH $CXX $*"
    if ! is_stamped "$directory/configured-for" "$wanted"; then
        # A directory made for another toolkit or by hand keeps nothing that could be wrong.
        if [ -d "$directory/meson-private" ]; then set -- "$@" --wipe; fi
        meson setup "$directory" "$@" </dev/null || return
        stamp "$directory/configured-for" "$wanted"
    fi
}

# build_targets DIRECTORY [TARGET...]: everything, if none is named. By Ninja itself: Meson's front end would add a second to
# a build that has nothing to do.
build_targets() { ninja -C "$1" -j "$(nproc)" "${@:2}" </dev/null; }

# configure_and_build DIRECTORY [MESON-SETUP-OPTION...]
configure_and_build() { configure "$@" && build_targets "$1"; }

# run_tests DIRECTORY: all of them; those that need a GPU report themselves as skipped where there is none.
run_tests() {
    rm -f "$1/meson-logs/testlog.json"
    # What the caller's shell sets for other programs must not reach the tests.
    local name
    for name in $(compgen -e); do
        case $name in SGEMM_* | SOFTWARE_GPU_* | CUBLAS_* | NVIDIA_TF32_OVERRIDE | LD_PRELOAD) unset "$name" ;; esac
    done
    # The toolkit's cuBLAS need not be on the loader's path.
    LD_LIBRARY_PATH=$cuda_library_directory${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} \
        meson test -C "$1" --no-rebuild --print-errorlogs --num-processes "$(nproc)" </dev/null
}

# ---- checks of the sources --------------------------------------------------------------------------------

# check_format: by the pinned clang-format, because each release formats a little differently.
check_format() {
    find lib interpose include tests bench examples -type f \
        \( -name '*.[ch]pp' -o -name '*.cu' -o -name '*.cuh' -o -name '*.[ch]' \) -print0 |
        xargs -0 "$tools_dir/venv/bin/clang-format" --dry-run --Werror
}

# no_stray_headers DIRECTORY: a target without CUDA's headers builds only where somebody has put them into the compiler's own places.
no_stray_headers() {
    local headers
    headers=$(ninja -C "$1" -t deps) || return
    [ -n "$headers" ] || return
    ! grep -E '^ +(/usr/include|/usr/local/include)/(cuda|cublas|driver_types|vector_types)' <<<"$headers"
}

check_scripts() {
    find . \( -path ./.tools -o -path './build*' \) -prune -o -name '*.sh' -print0 |
        xargs -0 shellcheck --severity=warning --external-sources .ci/run
}
