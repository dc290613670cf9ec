#!/bin/sh
# check_end_to_end.sh PROGRAM SHIM KERNEL [PROGRAM-ARGUMENT...]
# Runs PROGRAM (end_to_end) under LD_PRELOAD=SHIM with SGEMM_SHIM_KERNEL=KERNEL (or, for "disabled", with
# SGEMM_SHIM_DISABLE=on), and compares the shim's call log with the calls that the program says it made: every
# ordinary call served by a kernel, every other one forwarded for its own reason. A program that tells its calls
# by function too has them compared so as well.
# Exit status: the program's if it is not 0 (77: no GPU), 1 if the log is not as it must be.
set -u
program=$1
shim=$(realpath "$2")
kernel=$3
shift 3

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
case $kernel in
    disabled) setting=SGEMM_SHIM_DISABLE=on ;;
    *) setting=SGEMM_SHIM_KERNEL=$kernel ;;
esac
env LD_PRELOAD="$shim" SGEMM_SHIM_LOG=calls SGEMM_SHIM_LOG_FILE="$work/calls.csv" "$setting" "$program" "$@" \
    >"$work/output" 2>"$work/errors"
status=$?
cat "$work/output"
cat "$work/errors" >&2
[ "$status" -eq 0 ] || exit "$status"
if [ -s "$work/errors" ]; then
    echo "the program or the shim wrote to stderr"
    exit 1
fi

# Columns are found by name. The summary at exit, which follows the rows, has fewer of them.
awk -F, -v disabled="$([ "$kernel" = disabled ] && echo 1 || echo 0)" \
    -v automatic="$([ "$kernel" = auto ] && echo 1 || echo 0)" '
    FNR == NR {  # the program: "calls: CLASS NUMBER", or "calls: CLASS NUMBER FUNCTION"
        words = split($0, word, " ")
        if (words < 3 || word[1] != "calls:") next
        if (word[2] == "further_group") {
            if (disabled) next  # forwarded before its groups are read: one row
            word[2] = "ordinary"
            further = 1
        } else further = 0
        class = disabled ? "all" : word[2]
        if (words == 3) {
            made[class] += word[3]
            total += word[3]
        } else {
            made[word[4] " " class] += word[3]
            by_function += word[3]
            if (word[2] == "ordinary" && word[3] == 0 && !further) fail("no ordinary call of " word[4])
        }
        next
    }
    !width && $1 == "entry_point" {
        for (i = 1; i <= NF; ++i) column[$i] = i
        width = NF
        next
    }
    width && NF == width {
        ++logged
        entry_point = $column["entry_point"]
        ++entry_points[entry_point]
        reason = $column["reason"]
        class = ""
        if (reason != "") class = class_of[reason]
        else if ($column["kernel"] != "cublas") class = "ordinary"
        if (class == "") {
            fail("unexpected: " $0)
            next
        }
        ++found[class]
        ++found[entry_point " " class]
    }
    function fail(text) { print text; failed = 1 }
    BEGIN {
        if (disabled) {
            class_of["disabled"] = "all"
        } else {
            class_of["tf32"] = "tf32"
            class_of["math mode"] = "math_mode"
            class_of["invalid argument"] = "invalid"
            class_of["empty"] = "empty"
            class_of["handle"] = "no_handle"
            class_of["cublas logging"] = "logging"
            class_of["sm count target"] = "sm_target"
            class_of["type"] = "data_type"
            class_of["compute type"] = "compute_type"
            class_of["algo"] = "algorithm"
            # auto may know better: see plan().
            if (automatic) class_of["cublas is faster"] = "ordinary"
        }
    }
    END {
        if (!(total > 0)) fail("the program made no calls")
        if (by_function && by_function != total) fail(total " calls made, " by_function " of them by function")
        for (what in made)
            if (made[what] != found[what] + 0)
                fail("calls of class " what ": " made[what] " made, " found[what] + 0 " logged")
        if (logged != total) fail(total " calls made, " logged + 0 " logged")
        if (!entry_points["cublasSgemm_v2"] || !entry_points["cublasSgemm_v2_64"]) fail("an entry point was not seen")
        print "call log: " logged + 0 " rows, " found["ordinary"] + 0 " ordinary ones"
        exit failed
    }' "$work/output" "$work/calls.csv"
