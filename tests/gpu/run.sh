#!/bin/bash
# run.sh [--apps] [--sanitizer | --sanitizer-only] [--skip-large] [--one-gpu] [--selection=WHICH] [--kernel=NAME]...
# Runs all GPU tests that lie beside this file (see make_bundle.sh) and prints a table last. Everything they
# print goes to gpu-tests.log in $OUT, or in ./logs. Exit status 0 only if something ran and nothing failed or was skipped.
#   --sanitizer        also compute-sanitizer's memcheck and racecheck over every kernel (minutes)
#   --sanitizer-only   nothing else
#   --apps             also PyTorch, CuPy and JAX, plain and under the preload; one that is not installed counts as a failure
#   --skip-large       without the products that need tens of gigabytes
#   --one-gpu          without the products on two GPUs, which count as failures where there is one
#   --selection=WHICH  cases of the comparison of kernels: full (the default), reduced, quick
#   --kernel=NAME      end to end and under the sanitizer only this kernel; may be given several times
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
sanitizer=0 tests=1 large=1 two_gpus=1 apps=0 selection=full kernels=
for argument in "$@"; do
    case $argument in
        --sanitizer) sanitizer=1 ;;
        --sanitizer-only) sanitizer=1 tests=0 ;;
        --skip-large) large=0 ;;
        --one-gpu) two_gpus=0 ;;
        --apps) apps=1 ;;
        --selection=*) selection=${argument#--selection=} ;;
        --kernel=*) kernels="$kernels ${argument#--kernel=}" ;;
        *) sed -n '2,11p' "${BASH_SOURCE[0]}" && exit 2 ;;
    esac
done
logs=${OUT:-$PWD/logs}
mkdir -p "$logs"
full_log=$logs/gpu-tests.log
: >"$full_log"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
unset LD_PRELOAD NVIDIA_TF32_OVERRIDE "${!SGEMM_SHIM_@}" "${!CUBLAS_@}"

# The folders that hold cuBLAS and the shared runtime, if the loader does not know them: a toolkit's, or those of the
# Python wheels.
find_libraries() {
    local pattern=$1 folder
    ldconfig -p 2>/dev/null | grep -q "$pattern" && return
    for folder in ${LD_LIBRARY_PATH//:/ } /usr/local/cuda*/lib64 /usr/local/cuda*/targets/x86_64-linux/lib \
        $(python3 -c 'import site, sys; print(*(p + "/nvidia/" + d + "/lib" for p in site.getsitepackages() + [site.getusersitepackages()] + sys.path for d in ("cu13", "cublas", "cuda_runtime")))' 2>/dev/null); do
        if [ -e "$folder/$pattern" ]; then
            export LD_LIBRARY_PATH="${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$folder"
            return
        fi
    done
    echo "run.sh: $pattern not found" >&2
}
# Twice: what cuBLAS itself needs shows once cuBLAS is found.
for _ in 1 2; do
    for library in $(ldd "$here/end_to_end" | awk '/not found/ { print $1 }'); do find_libraries "$library"; done
done

table=()
failures=0 runs=0
add_row() {  # name passed failed note
    table+=("$(printf '%-36s %9s %7s  %s' "$1" "$2" "$3" "$4")")
    runs=$((runs + 1))
    [ "$3" = 0 ] || failures=$((failures + 1))
}

# run NAME COMMAND...: counts come from "cases: N passed, M failed" or else from doctest's own last lines.
run() {
    local name=$1 status counts passed failed note served
    shift
    local start=$SECONDS
    "$@" >"$log" 2>&1
    status=$?
    { echo "=== $name"; cat "$log"; } >>"$full_log"
    note="$((SECONDS - start)) s"
    # The summary of a program's last process, if it asked for one.
    served=$(grep -oE '[0-9]+ served, [0-9]+ forwarded$' "$log" | tail -1)
    [ -z "$served" ] || note="$note, $served"
    counts=$(grep -oE '^cases: [0-9]+ passed, [0-9]+ failed' "$log" | tail -1 | grep -oE '[0-9]+')
    [ -n "$counts" ] || counts=$(grep -E '^\[doctest\] test cases:' "$log" | tail -1 | grep -oE '[0-9]+ (passed|failed)' | grep -oE '[0-9]+')
    read -r passed failed <<<"$(echo $counts)"
    passed=${passed:-0} failed=${failed:-0}
    if grep -q '^skipped:' "$log"; then note="$note, SKIPPED: $(grep -c '^skipped:' "$log")"; failed=$((failed + 1)); fi
    if [ "$status" -ne 0 ] && [ "$failed" -eq 0 ]; then failed=1 note="$note, exit status $status"; fi
    if [ "$passed" -eq 0 ] && [ "$failed" -eq 0 ]; then failed=1 note="$note, nothing ran"; fi
    add_row "$name" "$passed" "$failed" "$note"
    if [ "$failed" -ne 0 ]; then
        echo "--- $name"
        grep -vE '^\[doctest\]|^=+$|^$' "$log" | head -30
    fi
}

# A preloaded library is silent and changes no exit status in programs that have nothing to do with CUDA.
check_quiet() {
    local name=$1 expected=$2 output status
    shift 2
    output=$(LD_PRELOAD=$here/libsgemm_shim.so "$@" 2>&1)
    status=$?
    if [ "$status" -eq "$expected" ] && [ -z "$output" ]; then
        add_row "quiet: $name" 1 0 ""
    else
        add_row "quiet: $name" 0 1 "exit status $status, output '${output:0:80}'"
    fi
}

[ -n "$kernels" ] || kernels=$("$here/comparison" --list-kernels)
if [ "$tests" = 1 ]; then
    run "comparison of kernels ($selection)" "$here/comparison" --selection="$selection"
    run "capture and determinism" "$here/capture"
    run "errors against cuBLAS" "$here/against_cublas"
    [ "$large" = 0 ] || run "large products" "$here/large"
    [ "$large" = 0 ] || run "contract cases" "$here/contract_cases" "$here/cases.csv"
    run "contract cases, library" env CONTRACT_CASES="$here/cases.csv" NVIDIA_TF32_OVERRIDE=0 \
        "$here/check_end_to_end.sh" "$here/contract_library" "$here/libsgemm_shim.so" auto
    run "end to end: plain cuBLAS" "$here/end_to_end"
    for kernel in auto $kernels disabled; do
        run "end to end: $kernel" "$here/check_end_to_end.sh" "$here/end_to_end" "$here/libsgemm_shim.so" "$kernel"
    done
    for kernel in auto $kernels; do
        run "graphs: $kernel" "$here/check_end_to_end.sh" "$here/graphs" "$here/libsgemm_shim.so" "$kernel"
        run "threads: $kernel" "$here/check_end_to_end.sh" "$here/threads" "$here/libsgemm_shim.so" "$kernel"
    done
    # Two processes: one case is about the first product of a process.
    for kernel in auto $kernels; do
        [ "$two_gpus" = 1 ] || break
        run "devices, first on the second: $kernel" "$here/check_end_to_end.sh" "$here/devices" "$here/libsgemm_shim.so" \
            "$kernel" '--test-case=the first product *'
        run "devices: $kernel" "$here/check_end_to_end.sh" "$here/devices" "$here/libsgemm_shim.so" "$kernel" \
            '--test-case-exclude=the first product *'
    done
    for kernel in auto $kernels; do
        run "green context: $kernel" timeout 300 env LD_PRELOAD="$here/libsgemm_shim.so" SGEMM_SHIM_LOG=summary \
            SGEMM_SHIM_KERNEL="$kernel" "$here/green_context"
    done
    run "C interface" env LD_LIBRARY_PATH="$here:${LD_LIBRARY_PATH:-}" "$here/api"
    check_quiet true 0 true
    check_quiet "shell" 0 sh -c ':'
    check_quiet "shell, exit status 3" 3 sh -c 'exit 3'
    check_quiet "python" 0 python3 -c pass
fi
if [ "$apps" = 1 ]; then
    for app in pytorch_products pytorch_samples cupy_products jax_products; do
        run "$app, plain" timeout 300 python3 "$here/$app.py"
        run "$app" timeout 300 env LD_PRELOAD="$here/libsgemm_shim.so" SGEMM_SHIM_LOG=summary python3 "$here/$app.py"
    done
fi
if [ "$sanitizer" = 1 ]; then
    compute_sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda*/bin/compute-sanitizer 2>/dev/null | head -1)
    export SGEMM_TEST_EXACT_BUFFERS=1
    for kernel in $kernels; do
        for tool in memcheck racecheck; do
            run "$tool: $kernel" "${compute_sanitizer:-compute-sanitizer}" --tool "$tool" --error-exitcode 9 \
                "$here/comparison" --quick --kernel="$kernel"
        done
    done
fi

{
    echo
    printf '%-36s %9s %7s\n' name passed failed
    printf '%s\n' "${table[@]}"
    echo "$runs runs, $failures failed; log in $full_log"
} | tee -a "$full_log"
[ "$runs" -gt 0 ] && [ "$failures" -eq 0 ]
