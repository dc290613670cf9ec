#!/usr/bin/env python3
"""The plots: every picture is made, and twice the same. Skipped (77) where matplotlib is missing."""
import importlib.util
import subprocess
import sys
import tempfile
from pathlib import Path

from made_up_results import write_recordings

if importlib.util.find_spec("matplotlib") is None:
    print("skipped: matplotlib is not installed (bench/requirements.txt)")
    sys.exit(77)

expected = {"ladder.svg", "rung-naive.svg", "rung-double_buffer.svg", "squares.svg", "squares-ratio.svg",
            "shapes.svg", "random.svg"}
with tempfile.TemporaryDirectory() as folder:
    results = Path(folder) / "results"
    write_recordings(results)
    pictures = []
    for run in ("first", "second"):
        out = Path(folder) / run
        subprocess.run([sys.executable, sys.argv[1], "all", str(results), "--out", str(out)], check=True)
        pictures.append({path.name: path.read_bytes() for path in out.iterdir()})
    if set(pictures[0]) != expected:
        sys.exit(f"failed: the pictures are {sorted(pictures[0])}")
    if pictures[0] != pictures[1]:
        sys.exit("failed: two runs differ")
    for picture, words in [("squares", [b"NN", b"TT", b"FFMA peak", b"cuBLAS", b"cold"]),
                           ("squares-ratio", [b"1024_NT", b"384_NN", b"fraction of the roofline"]),
                           ("shapes", [b"thin", b"tall"]), ("random", [b"120 shapes"])]:
        for word in words:
            if word not in pictures[0][picture + ".svg"]:
                sys.exit(f"failed: {picture} does not show {word}")
    if b"double_buffer" not in pictures[0]["ladder.svg"] or b"cuBLAS" not in pictures[0]["ladder.svg"]:
        sys.exit("failed: the ladder names no kernels")
