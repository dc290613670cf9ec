#!/bin/sh
# The standard measurements of an H200: result files (CSV) and the printed tables (log.txt) go into $OUT. The files
# belong into bench/results/h200/ with the date before their names; readme_tables.py and plot.py take the newest.
#
#   OUT=results bench/run_h200.sh [PART...]
#
# Without names, the parts that the README's tables of `auto` are made of, in about three minutes:
#   host-cost      what our code costs the host, launches stubbed out
#   squares        2048 to 16384, four transpositions, warm and cold
#   small-squares  every multiple of 128 up to 1920, likewise
#   shapes         data/shapes.csv, warm and cold
#   random         500 shapes of a new seed (SEED: that one), warm and cold
#   unaligned      squares against the same with operands off their alignment and with odd leading dimensions
# By name only:
#   ladder         every rung over size
#   second-source  every kernel on six shapes of convolutions
#   transpositions every kernel at 4096 in four transpositions
#   choices        every choice of every production kernel for data/choices.csv (the smaller ones of the shapes, squares,
#                  and random ones), for fit_costs.py and fit_model.py; about 150 seconds, so give it LIMIT=160
#
# BENCH: the program (default: build/bench/sgemm_bench); COMMIT: what to record (default: that of the build); LIMIT:
# seconds for all parts together (default: 200). A part that would not be done in time says what it left out.
set -u
here=$(dirname "$0")
bench=${BENCH:-$here/../build/bench/sgemm_bench}
out=${OUT:?the folder for the results}
limit=${LIMIT:-200}
mkdir -p "$out"
log=$out/log.txt
: >"$log"
start=$(date +%s)
worst=0

# run PART COMMAND...: shows and keeps what it prints, and remembers if it failed.
run() {
    part=$1
    shift
    {
        echo "== $part"
        "$@" 2>&1
        echo "exit status $?"
    } | tee -a "$log"
    case $(tail -n 1 "$log") in
    "exit status 0") ;;
    *) worst=1 ;;
    esac
}

# measure PART SECONDS OPTION...: at most so many seconds, and no more than there are left.
measure() {
    part=$1
    left=$((limit - $(date +%s) + start))
    seconds=$(($2 < left ? $2 : left))
    shift 2
    if [ "$seconds" -lt 1 ]; then
        run "$part" sh -c 'echo "left out: no time left"; exit 1'
        return
    fi
    run "$part" "$bench" "$@" --time-budget "$seconds" --csv "$out/$part.csv" ${COMMIT:+--commit "$COMMIT"}
}

# Rounds and GPU time: a measurement costs both sides their time and tens of milliseconds of preparation, most where a
# small shape rotates over thousands of copies, so that the many small ones get less of it; their replays are still a
# millisecond each. The seconds add up to less than LIMIT.
[ $# -gt 0 ] || set -- host-cost squares small-squares shapes random unaligned
for part in "$@"; do
    case $part in
    host-cost)
        run host-cost "$bench" --host-cost --kernels auto,double_buffer --csv "$out/host-cost.csv" \
            ${COMMIT:+--commit "$COMMIT"}
        ;;
    squares)
        measure squares 35 --cold --sizes 2048,4096,5120,8192,16384 --ops NN,NT,TN,TT --min-time-ms 25
        ;;
    small-squares)
        measure small-squares 20 --cold --sizes 128:1920:128 --ops NN,NT,TN,TT --min-time-ms 20
        ;;
    shapes)
        measure shapes 32 --cold --shapes-file "$here/data/shapes.csv" --min-time-ms 20
        ;;
    random)
        measure random 80 --cold --random 500 ${SEED:+--seed "$SEED"} --rounds 5 --min-time-ms 4
        ;;
    unaligned)
        measure unaligned 25 --cold --sizes 1024,2048,4096,8192 --ops NN,NT,TN,TT --with-unaligned --rounds 5 \
            --min-time-ms 15
        ;;
    ladder)
        measure ladder 60 --kernels uncoalesced,1,2,3,4,5,6,7 --row-major --sizes 256,512,1024,1536,2048,3072,4096,5120,8192 \
            --longest-call-ms 300
        ;;
    second-source)
        measure second-source 30 --kernels all,auto --second-source --longest-call-ms 300
        ;;
    transpositions)
        measure transpositions 40 --kernels all --sizes 4096 --ops NN,NT,TN,TT --longest-call-ms 300 --rounds 5
        ;;
    choices)
        measure choices "$limit" --every-choice --shapes-file "$here/data/choices.csv" --rounds 3 --min-time-ms 2
        ;;
    *)
        echo "unknown part: $part" >&2
        exit 2
        ;;
    esac
done
exit $worst
