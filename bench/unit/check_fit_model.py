#!/usr/bin/env python3
"""The judge of choices: regret against the best that was measured, other plans, and a model that is fitted and chooses."""
import math
import subprocess
import sys
import tempfile
from pathlib import Path

script = sys.argv[1]
MULTIPROCESSORS, BANDWIDTH = 10, 4.0
COLUMNS = ("name,layout,m,n,k,transA,transB,batch,lda,ldb,ldc,stride_a,stride_b,stride_c,pointer_arrays,beta,ld_pad,"
           "misalign,asked,kernel,choice,mode,status,us,cublas_us")
FIGURES = """# made up
kernel  tile_m tile_n tile_k blocks_per_multiprocessor most_k_parts
large      128    128     16                         1            4
small       32     32     16                         2            4
"""
TILES = {"large": (128, 1, 3.0, 0.5), "small": (32, 2, 2.0, 0.09)}  # tile, blocks, start us, slice us


def expect(condition, what):
    if not condition:
        sys.exit(f"failed: {what}")


def true_us(kernel, k_parts, m, n, k):
    tile, blocks, start, slice_us = TILES[kernel]
    waves = math.ceil(math.ceil(m / tile) * math.ceil(n / tile) * k_parts / (MULTIPROCESSORS * blocks))
    return start + waves * math.ceil(math.ceil(k / k_parts) / 16) * slice_us


def row(shape, asked, kernel, choice, us, mode="warm", status="ok"):
    m, n, k = shape
    return (f"{m}x{n}x{k}_NN,column,{m},{n},{k},N,N,1,,,,,,,0,0,0,0/0/0,{asked},{kernel},{choice},{mode},{status},"
            f"{us if us is not None else ''},{20 if us is not None else ''}")


def write(path, rows):
    path.write_text(f"# multiprocessors: {MULTIPROCESSORS}\n# bandwidth_tbs: {BANDWIDTH}\n" + "\n".join([COLUMNS, *rows]) +
                    "\n")
    return path


def run(*arguments):
    result = subprocess.run([sys.executable, script, *map(str, arguments)], capture_output=True, text=True)
    expect(result.returncode == 0, result.stderr)
    return result.stdout


with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    one, other = (100, 100, 100), (200, 200, 200)
    measured = write(folder / "measured.csv", [
        row(one, "cublas", "cublas", "", 20), row(one, "auto", "large", "", 16), row(one, "large", "large", "", 15),
        row(one, "small", "small", "", 5), row(one, "small", "small", "k_parts=2", 10),
        row(one, "small", "small", "k_parts=4", 1, status="WRONG"),
        row(other, "cublas", "cublas", "", 20), row(other, "auto", "cublas", "", 20), row(other, "small", "small", "", 25),
        row(other, "auto", "large", "", 3, mode="cold"), row(other, "large", "large", "", 4, mode="cold")])
    text = run(measured)
    # 15 us where 5 were possible, the better of two measurements of one choice; cuBLAS where nothing was better.
    expect(f"warm: 2 shapes, regret {math.sqrt(3):.3f}; ratio to cuBLAS {math.sqrt(20 / 15):.3f}, with the best choices 2.000"
           in text, text)
    expect("3.000  100x100x100_NN warm" in text and "chose large (15.00 us), best small (5.00 us)" in text, text)
    expect("cold: " not in text, f"one candidate is no choice: {text}")

    plans = write(folder / "plans.csv", [row(one, "auto", "small", "k_parts=2", None, status="planned"),
                                         row(other, "auto", "small", "k_parts=8", None, status="planned")])
    text = run(measured, "--plans", plans)
    expect("warm: 1 shapes, regret 2.000" in text, text)
    expect("chosen, but not measured: 200x200x200_NN warm small k_parts=8" in text, text)

    # Times that follow the model exactly are fitted exactly, and then the model errs nowhere; plan() takes the worst.
    rows = []
    for shape in [(128, 128, 1024), (500, 300, 64), (1000, 1000, 1000), (64, 4000, 512), (2000, 2000, 2000), (33, 33, 5000)]:
        times = {(kernel, parts): true_us(kernel, parts, *shape) for kernel in TILES for parts in (1, 2, 4)}
        worst = max(times, key=times.get)
        for (kernel, parts), us in [(worst, times[worst]), *times.items()]:
            asked = "auto" if len(rows) % 7 == 0 else kernel
            rows.append(row(shape, asked, kernel, f"k_parts={parts}" if parts > 1 else "", us))
    figures = folder / "figures.txt"
    figures.write_text(FIGURES)
    text = run(write(folder / "modelled.csv", rows), "--figures", figures, "--every-shape")
    plans_part, model_part = text.split("The model, fitted")
    for kernel, (_, _, start, slice_us) in TILES.items():
        expect(f"{kernel:<20} {start:9.3f} {slice_us:9.4f}     0.0%     0.0%" in model_part, text)
    expect("6 shapes, regret 1.000;" in model_part, text)
    expect("regret 1.000" not in plans_part and plans_part.count(" warm ") == 6, text)

    figures.write_text("name size\nlarge 1\n")
    refused = subprocess.run([sys.executable, script, str(measured), "--figures", str(figures)], capture_output=True, text=True)
    expect(refused.returncode == 1 and "must name the columns" in refused.stderr, "figures without names")
