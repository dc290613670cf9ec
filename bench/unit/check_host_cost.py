#!/usr/bin/env python3
"""The host cost needs no GPU: figures for a kernel of every source and each kind of call, with a stand-in for cuBLAS also the whole call."""
import csv
import os
import subprocess
import sys
import tempfile
from pathlib import Path

bench, stand_in = sys.argv[1:]


def expect(condition, what):
    if not condition:
        sys.exit(f"failed: {what}")


def measure(kernels, file, **environment):
    result = subprocess.run([bench, "--host-cost", "--kernels", kernels, "--csv", str(file)], capture_output=True,
                            text=True, env=os.environ | environment)
    expect(result.returncode == 0, f"exit status {result.returncode}: {result.stdout}{result.stderr}")
    lines = file.read_text().splitlines()
    expect(any(line.startswith("# commit: ") for line in lines), "the commit is recorded")
    return list(csv.DictReader(line for line in lines if not line.startswith("#")))


KERNELS = ("naive", "double_buffer", "direct_tall", "staged_16x16", "one_fetch", "tiny_matrices", "tile_128x128", "sliced_64x64", "auto")


def what_is_wrong(row):
    plan, launch, whole = (float(row[part]) for part in ("plan_ns", "launch_ns", "whole_ns"))
    # The parts can come out a little less than what they contain.
    if not 0 < plan < 1.25 * launch < 1e6:
        return "the launch path contains plan()"
    # What auto has chosen for a call before is remembered there.
    if not (0 < whole < 1e6 and (row["asked"] == "auto" or launch < 1.25 * whole)):
        return "all of it contains the launch path"
    return None


with tempfile.TemporaryDirectory() as folder:
    file = Path(folder) / "cost.csv"
    rows = measure(",".join(KERNELS), file, SGEMM_SHIM_CUBLAS=stand_in)
    expect([(row["asked"], row["calls"]) for row in rows] == [(kernel, calls) for kernel in KERNELS for calls in ("squares", "uneven")],
           f"both kinds of calls: {rows}")
    for row in rows:
        expect(int(row["served"]) == 8, f"every call is served: {row}")
        # On a busy machine somebody else's second can fall into one part: wrong is what is so three times.
        for _ in range(2):
            if what_is_wrong(row) is None:
                break
            row = next(again for again in measure(row["asked"], file, SGEMM_SHIM_CUBLAS=stand_in) if again["calls"] == row["calls"])
        expect(what_is_wrong(row) is None, f"{what_is_wrong(row)}: {row}")

    # Whatever would be forwarded is not run: there is no memory behind it.
    for row in measure("auto", file, SGEMM_SHIM_CUBLAS=stand_in, SGEMM_SHIM_DISABLE="on"):
        expect(row["served"] == "0" and row["whole_ns"] == "", f"disabled: {row}")
