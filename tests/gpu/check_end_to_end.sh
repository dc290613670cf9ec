#!/bin/sh
# check_end_to_end.sh PROGRAM SHIM KERNEL
# Runs PROGRAM (end_to_end) under LD_PRELOAD=SHIM with SGEMM_SHIM_KERNEL=KERNEL (or, for "disabled", with
# SGEMM_SHIM_DISABLE=on), and compares the shim's call log with the calls that the program says it made: every
# ordinary call served by a kernel, every other one forwarded for its own reason.
# Exit status: the program's if it is not 0 (77: no GPU), 1 if the log is not as it must be.
set -u
program=$1
shim=$(realpath "$2")
kernel=$3

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
case $kernel in
    disabled) setting=SGEMM_SHIM_DISABLE=on ;;
    *) setting=SGEMM_SHIM_KERNEL=$kernel ;;
esac
env LD_PRELOAD="$shim" SGEMM_SHIM_LOG=calls SGEMM_SHIM_LOG_FILE="$work/calls.csv" "$setting" "$program" \
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
awk -F, -v disabled="$([ "$kernel" = disabled ] && echo 1 || echo 0)" '
    FNR == NR {  # the program: "calls: CLASS NUMBER"
        if (split($0, word, " ") == 3 && word[1] == "calls:") made[word[2]] = word[3]
        next
    }
    !width && $1 == "entry_point" {
        for (i = 1; i <= NF; ++i) column[$i] = i
        width = NF
        next
    }
    width && NF == width {
        ++logged
        ++entry_points[$column["entry_point"]]
        reason = $column["reason"]
        if (reason == "") {
            ++found["ordinary"]
            if ($column["kernel"] == "cublas") fail("served by cublas without a reason: " $0)
        } else if (reason in class_of) {
            ++found[class_of[reason]]
        } else {
            fail("unexpected reason: " $0)
        }
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
        }
    }
    END {
        for (class in made) total += made[class]
        if (disabled) {
            for (class in made) delete made[class]
            made["all"] = total
        }
        if (!(total > 0)) fail("the program made no calls")
        for (class in made)
            if (made[class] != found[class] + 0)
                fail("calls of class " class ": " made[class] " made, " found[class] + 0 " logged")
        if (logged != total) fail(total " calls made, " logged + 0 " logged")
        if (!entry_points["cublasSgemm_v2"] || !entry_points["cublasSgemm_v2_64"]) fail("an entry point was not seen")
        print "call log: " logged + 0 " rows, " found["ordinary"] + 0 " served"
        exit failed
    }' "$work/output" "$work/calls.csv"
