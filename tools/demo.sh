# shellcheck shell=bash
# The demonstration of bootstrap.sh: one unchanged cuBLAS program, alone and with the shim in front.

# value_of KEY FILE: what the program printed after "KEY: ".
value_of() { sed -n "s/^$1: *//p" "$2" | head -n 1; }

# servers_in SUMMARY: the kernels, and the reasons for forwarding, that stand in its rows.
servers_in() { sed -n 's/^sgemm-shim:   [^ ]*  *\(.*[^ ]\)  *[0-9]* calls.*/\1/p' "$1" | paste -s -d ,; }

# run_demo BUILD-DIRECTORY CUDA-LIBRARY-DIRECTORY [SIZE]
run_demo() {
    local program=$1/examples/plain_cublas shim=$PWD/$1/interpose/libsgemm_shim.so
    local output=$1/demo libraries size=${3:-4096} alone='alone (cuBLAS)' baseline=cublas status=0 key
    build_targets "$1" examples/plain_cublas
    mkdir -p "$output"
    libraries=$2${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}

    # The variable is set for these processes only.
    LD_LIBRARY_PATH=$libraries "$program" "$size" >"$output/alone" || status=$?
    if [ "$status" -eq 77 ]; then # the program's word for "no GPU here", which it has said on stderr
        say "the same program on the tests' software GPU: the speeds below are those of an emulator"
        build_targets "$1" demo_without_gpu
        # The same binary finds libraries of the same names: a stand-in runtime, and a stand-in cuBLAS.
        libraries=$PWD/$1/tests/chain
        shim=$libraries/libsgemm_shim.so.0
        size=${3:-256} alone='alone (stand-in)' baseline="the host's BLAS" status=0
        LD_LIBRARY_PATH=$libraries "$program" "$size" >"$output/alone" || status=$?
    elif [ "$status" -eq 0 ]; then
        build_targets "$1" demo_with_gpu
    fi
    [ "$status" -eq 0 ] || die "the program failed without the shim (exit status $status)"

    rm -f "$output/summary"
    LD_LIBRARY_PATH=$libraries LD_PRELOAD=$shim${LD_PRELOAD:+:$LD_PRELOAD} \
        SGEMM_SHIM_LOG=summary SGEMM_SHIM_LOG_FILE=$output/summary \
        "$program" "$size" >"$output/preloaded" || die "the program failed under LD_PRELOAD"

    [ -s "$output/summary" ] || die "the shim saw no call of the program"
    printf '\n%-16s %28s %28s\n' '' "$alone" 'under LD_PRELOAD'
    for key in problem checksum 'largest error' 'median time' speed; do
        printf '%-16s %28s %28s\n' "$key" "$(value_of "$key" "$output/alone")" \
            "$(value_of "$key" "$output/preloaded")"
    done
    printf '%-16s %28s %28s\n' 'served by' "$baseline" "$(servers_in "$output/summary")"
    printf '\nSGEMM_SHIM_LOG=summary printed:\n'
    cat "$output/summary"
}
