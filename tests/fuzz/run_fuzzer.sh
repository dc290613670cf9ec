#!/bin/sh
# run_fuzzer.sh FUZZER CORPUS [LIBFUZZER-OPTION...]
# Runs a fuzzer from the corpus on, which stays as it is. What it finds is left in the working directory. Says how many
# inputs were executed; fails if there is no corpus.
set -eu
fuzzer=$1 corpus=$2
shift 2

[ -n "$(ls "$corpus")" ] || { echo "no corpus in $corpus"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$fuzzer" "$work" "$corpus" -timeout=20 -print_final_stats=1 "$@" >"$work.log" 2>&1 && status=0 || status=$?
if [ "$status" -eq 0 ]; then grep -E '^(Done|stat::number_of_executed_units)' "$work.log"; else tail -n 60 "$work.log"; fi
rm -f "$work.log"
# 77 is what libFuzzer ends with when it found something; Meson would take it for a skipped test.
[ "$status" -eq 0 ]
