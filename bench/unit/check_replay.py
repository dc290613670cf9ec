#!/usr/bin/env python3
"""What the shim logs today is what the benchmark replays: a program's calls go through both."""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

bench, record_program = sys.argv[1:]


def replay(log):
    result = subprocess.run([bench, "--replay", str(log), "--list-shapes"], capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"failed: {log.read_text()}{result.stderr}")
    return [line.split(",")[0] for line in result.stdout.splitlines()[1:]]


with tempfile.TemporaryDirectory() as folder:
    for scene, expected in [("two calls", ["5x6x7_TN_off1/2/3"]),
                            ("scalars", ["5x6x7_NN", "5x6x7_NN_beta0.5", "5x6x7_NN_beta1"])]:
        log = Path(folder) / scene
        subprocess.run([record_program, scene], check=True,
                       env=os.environ | {"SGEMM_SHIM_LOG": "calls", "SGEMM_SHIM_LOG_FILE": str(log)})
        if (names := replay(log)) != expected:
            sys.exit(f"failed: {scene} came out as {names}")
