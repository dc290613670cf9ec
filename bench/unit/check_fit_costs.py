#!/usr/bin/env python3
"""The fit of the cost model's constants: times that the formulas made come out again, and the choices with them. Skipped (77) where
numpy or scipy is missing."""
import importlib.util
import re
import subprocess
import sys
import tempfile
from pathlib import Path

if any(importlib.util.find_spec(package) is None for package in ("numpy", "scipy")):
    print("skipped: numpy or scipy is not installed (bench/requirements.txt)")
    sys.exit(77)

import numpy as np

script = Path(sys.argv[1]).resolve()
sys.path.insert(0, str(script.parent))
specification = importlib.util.spec_from_file_location("fit_costs", script)
fit_costs = importlib.util.module_from_spec(specification)
specification.loader.exec_module(fit_costs)

FIGURES = """kernel  tile_m tile_n tile_k blocks_per_multiprocessor most_k_parts
tile_128x128   128    128     16                         2           16
tile_32x32      32     32     16                         6           16
sliced_64x64    64     64     32                         2           16
direct_tall    256      8      4                         6           16
direct_wide      8    256      4                         6           16
dot              4      4    512                         6           16
dot_tall        16      1    128                         6           16
dot_wide         1     16    128                         6           16
staged_8x8       8      8    128                         8           16
staged_16x16    16     16     32                         8           16
one_fetch       32     32    128                         2           16
tiny_matrices   32     32     16                         5            1
"""
COLUMNS = ("name,layout,m,n,k,transA,transB,batch,lda,ldb,ldc,misalign,asked,kernel,choice,mode,status,us,cublas_us")
SIZES = (1, 3, 16, 40, 130, 500, 1500)


def expect(condition, what):
    if not condition:
        sys.exit(f"failed: {what}")


def shapes():
    for index, (m, n, k) in enumerate((m, n, k) for m in SIZES for n in SIZES for k in SIZES):
        if index % 3 == 0:
            # Some with padding, some as batches.
            yield m, n, k, "NT"[index % 2], "NT"[index // 2 % 2], 3 if index % 5 == 0 else 0, 7 if index % 7 == 0 else 1


def rows_of(case_row, families):
    case = fit_costs.Case(case_row)
    for family, constants in families:
        for kernel in family.kernels:
            ways = [(1, False, 0, "")]
            if kernel != "tiny_matrices":
                ways += [(k_parts, False, 0, f"k_parts={k_parts}") for k_parts in (2, 4)]
            if kernel.startswith("dot"):
                ways.append((1, False, 8, "meeting_parts=8"))
            if kernel.startswith(("tile_", "sliced_")):
                ways.append((1, True, 0, "resident_blocks=264;shares_tiles=1"))
            for *way, choice in ways:
                features = {**case.call, **family.features(case.call, kernel, *way), "kernel": family.kernels.index(kernel)}
                us = family.estimate({name: np.array([float(value)]) for name, value in features.items()}, constants)[0]
                yield {**case_row, "kernel": kernel, "choice": choice, "us": us}


with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    (folder / "figures.txt").write_text(FIGURES)
    figures = fit_costs.read_figures(folder / "figures.txt")
    families = []
    for kind, belongs in fit_costs.FAMILIES.values():
        family = kind([kernel for kernel in figures if belongs(kernel)], figures, 132, 1980)
        # Not where the fit begins.
        families.append((family, {name: value * (1.2 if number % 2 else 0.85)
                                  for number, (name, value) in enumerate(family.constants().items())}))
    lines = ["# multiprocessors: 132", "# highest_sm_clock_mhz: 1980", COLUMNS]
    for m, n, k, a, b, padding, batch in shapes():
        case_row = {"name": f"{m}x{n}x{k}", "layout": "column", "m": m, "n": n, "k": k, "transA": a, "transB": b, "batch": batch,
                    "lda": (m if a == "N" else k) + padding if padding else "", "ldb": "", "ldc": "", "misalign": "0/0/0", "asked": "x", "mode": "warm", "status": "ok",
                    "cublas_us": 5}
        lines += [",".join(str(row[column]) for column in COLUMNS.split(",")) for row in rows_of(case_row, families)]
    (folder / "choices.csv").write_text("\n".join(lines) + "\n")
    result = subprocess.run([sys.executable, script, folder / "figures.txt", folder / "choices.csv"], capture_output=True,
                            text=True)
    expect(result.returncode == 0, result.stderr)
    spreads = [float(spread) for spread in re.findall(r"spread ([0-9.]+) %", result.stdout)]
    expect(len(spreads) == len(figures) and max(spreads) < 3, f"every kernel's times come out again: {result.stdout}")
    regrets = [float(regret) for regret in re.findall(r"regret among them: ([0-9.]+)", result.stdout)]
    expect(len(regrets) == len(families) and max(regrets) < 1.01, f"and the choices: {regrets}")
