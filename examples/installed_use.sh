#!/usr/bin/env bash
# Installs the library into a scratch place and builds the examples against it, as its users do.
# usage: installed_use.sh pkg-config|cmake BUILD-DIRECTORY EXAMPLES BUILT-PLAIN-CUBLAS
# Exit status: 0; 77 if the way's tool is not here; anything else is a failure.
set -euo pipefail
way=$1 build=$2 examples=$3 plain_cublas=$4

# The CUDA that this build found.
cuda_libraries=$(dirname "$(ldd "$plain_cublas" | sed -n 's/.*libcublas\.so.* => \(.*\) (.*/\1/p')")
toolkit=$(readlink -f "$(dirname "$(readlink -f "$cuda_libraries")")")

if ! command -v "$way" >/dev/null; then
    echo "skipped: $way is not here"
    exit 77
fi

stage=$build/installed-for-test
work=$build/examples/through-$way
rm -rf "$stage" "$work"
mkdir -p "$work"
meson install -C "$build" --no-rebuild --quiet --destdir "$stage"
package=$(find "$stage" -name sgemm_shim.pc -printf '%h')
[ -n "$package" ]
libraries=$(dirname "$package")
prefix=$(sed -n 's/^prefix=//p' "$package/sgemm_shim.pc")

case $way in
    pkg-config)
        export PKG_CONFIG_PATH=$package PKG_CONFIG_SYSROOT_DIR=$stage
        read -ra compile < <(pkg-config --cflags sgemm_shim)
        read -ra link < <(pkg-config --libs sgemm_shim)
        ${CC:-cc} -Wall -Werror -std=c99 "${compile[@]}" "$examples/direct_link.c" -o "$work/direct_link" "${link[@]}"
        $CXX -Wall -Werror "${compile[@]}" -x c++ "$examples/direct_link.c" -x none -o "$work/direct_link_cpp" \
            "${link[@]}"
        $CXX -std=c++20 -isystem "$toolkit/include" "$examples/plain_cublas.cpp" -o "$work/plain_cublas" \
            "${link[@]}" -L"$cuda_libraries" -lcublas -lcudart
        "$stage$prefix/bin/sgemm-shim" --version
        ;;
    cmake)
        cmake -G Ninja -S "$examples" -B "$work" -DCMAKE_CXX_COMPILER="$CXX" -DCMAKE_PREFIX_PATH="$stage$prefix" \
            -DCUDAToolkit_ROOT="$toolkit"
        cmake --build "$work"
        ;;
esac

# A program that is served when it is linked, so the library has to come before cuBLAS in the list of libraries.
needed=$(readelf -d "$work/plain_cublas" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -E 'sgemm_shim|cublas')
printf 'plain_cublas needs: %s\n' "$(echo "$needed" | tr '\n' ' ')"
[[ $needed == libsgemm_shim.so.0*libcublas.so.* ]]

export LD_LIBRARY_PATH=$libraries:$cuda_libraries
for program in "$work"/direct_link*; do
    if [ -f "$program" ] && [ -x "$program" ]; then
        "$program" | tee "$program.output"
        grep -q 'double_buffer' "$program.output"
    fi
done
[ -s "$work/direct_link.output" ]
