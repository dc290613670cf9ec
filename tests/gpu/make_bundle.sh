#!/bin/sh
# make_bundle.sh BUILD_DIR [OUT_DIR]
# Collects the GPU tests of a finished build and run.sh into one folder (default: gpu-bundle beside the sources)
# that can be copied to a machine with a GPU and nothing but a driver and cuBLAS.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=${1:?usage: make_bundle.sh BUILD_DIR [OUT_DIR]}
out=${2:-$here/../../gpu-bundle}

mkdir -p "$out"
for program in gpu/comparison gpu/large gpu/capture gpu/against_cublas gpu/end_to_end gpu/graphs gpu/threads \
    gpu/devices gpu/green_context gpu/api cases/contract_cases cases/contract_library; do
    cp "$build/tests/$program" "$out/"
    strip "$out/${program##*/}"
done
cp "$here/../data/cases.csv" "$out/"
cp -L "$build/interpose/libsgemm_shim.so" "$out/"
cp -L "$build/interpose/libsgemm_shim.so.0" "$out/"
cp "$here/run.sh" "$here/check_end_to_end.sh" "$here"/apps/*.py "$out/"
echo "$(cd "$out" && pwd): $(du -sh "$out" | cut -f1)"
