#!/usr/bin/env python3
"""The host cost needs no GPU: figures for every kernel and kind of call, with a stand-in for cuBLAS also the whole call."""
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


with tempfile.TemporaryDirectory() as folder:
    file = Path(folder) / "cost.csv"
    rows = measure("all,auto", file, SGEMM_SHIM_CUBLAS=stand_in)
    expect([row["calls"] for row in rows[-2:]] == ["squares", "uneven"], f"both kinds of calls: {rows}")
    for row in rows:
        plan, launch, whole = (float(row[part]) for part in ("plan_ns", "launch_ns", "whole_ns"))
        expect(int(row["served"]) == 8, f"every call is served: {row}")
        # On a busy machine the parts can come out a little less than what they contain.
        expect(0 < plan < 1.25 * launch < 1e6, f"the launch path contains plan(): {row}")
        # What auto has chosen for a call before is remembered there.
        expect(0 < whole < 1e6 and (row["asked"] == "auto" or launch < 1.25 * whole), f"all of it: {row}")

    # Whatever would be forwarded is not run: there is no memory behind it.
    for row in measure("auto", file, SGEMM_SHIM_CUBLAS=stand_in, SGEMM_SHIM_DISABLE="on"):
        expect(row["served"] == "0" and row["whole_ns"] == "", f"disabled: {row}")
