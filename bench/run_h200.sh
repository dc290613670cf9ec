#!/bin/sh
# The standard measurements, in about four minutes of GPU time: result files (CSV) and the printed tables (log.txt) go
# into $OUT. The files belong into bench/results/h200/ with the date before their names; readme_tables.py and plot.py
# take the newest.
#
#   OUT=results bench/run_h200.sh [ladder] [squares] [shapes] [second-source] [host-cost] [transpositions]
#                                            [misaligned] [padded]
#
# Without names: all but the last three, which time every rung in four transpositions, operands off their alignment and odd
# leading dimensions.
# BENCH: the program (default: build/bench/sgemm_bench); COMMIT: what to record (default: that of the build).
set -u
here=$(dirname "$0")
bench=${BENCH:-$here/../build/bench/sgemm_bench}
out=${OUT:?the folder for the results}
mkdir -p "$out"
log=$out/log.txt
: >"$log"
worst=0

# measure PART OPTION...
measure() {
    part=$1
    shift
    {
        echo "== $part"
        "$bench" "$@" --csv "$out/$part.csv" ${COMMIT:+--commit "$COMMIT"} 2>&1
        echo "exit status $?"
    } | tee -a "$log"
    case $(tail -n 1 "$log") in
    "exit status 0") ;;
    *) worst=1 ;;
    esac
}

[ $# -gt 0 ] || set -- host-cost ladder squares second-source shapes
for part in "$@"; do
    case $part in
    host-cost)
        "$bench" --host-cost --kernels all,auto 2>&1 | tee -a "$log"
        ;;
    ladder)
        measure ladder --kernels all --row-major --sizes 256,512,1024,1536,2048,3072,4096,5120,8192 \
            --longest-call-ms 300 --time-budget 60
        ;;
    squares)
        measure squares --cold --squares --ops NN,NT,TN,TT \
            --sizes 128,384,640,768,896,1152,1280,1408,1536,1664,1792,1920 --min-time-ms 25 --time-budget 90
        ;;
    transpositions)
        measure transpositions --kernels all --sizes 4096 --ops NN,NT,TN,TT --longest-call-ms 300 --rounds 5 \
            --time-budget 40
        ;;
    second-source)
        measure second-source --kernels all,auto --second-source --longest-call-ms 300 --time-budget 30
        ;;
    shapes)
        measure shapes --cold --shapes-file "$here/data/shapes.csv" --min-time-ms 25 --time-budget 80
        ;;
    misaligned)
        measure misaligned --sizes 512,1024,2048,4096,8192 --ops NN,NT,TN,TT --misalign 1,1,1 --min-time-ms 25 \
            --time-budget 40
        ;;
    padded)
        measure padded --sizes 512,1024,2048,4096,8192 --ops NN,NT,TN,TT --ld-pad 1 --min-time-ms 25 --time-budget 40
        ;;
    *)
        echo "unknown part: $part" >&2
        exit 2
        ;;
    esac
done
exit $worst
