#!/bin/sh
# check_libfuzzer.sh CLANG++: whether it can link a fuzzer.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, decltype(sizeof 0)) { return 0; }' >"$work/f.cpp"
"$1" -fsanitize=fuzzer,address,undefined "$work/f.cpp" -o "$work/f"
