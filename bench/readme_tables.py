#!/usr/bin/env python3
"""Writes the tables of recorded results into the marked sections of a README.

A section is everything between the lines
    <!-- results:NAME begin -->
    <!-- results:NAME end -->
where NAME is ladder, counters, squares, shapes or second-source; its table comes from the newest recording of that name.
With --check nothing is written, and the exit status is 1 if a section is out of date.
"""
import argparse
import math
import re
import sys
from pathlib import Path

from recorded import in_order, latest, squares

SECTION = re.compile(r"(<!-- results:([\w-]+) begin -->\n)(.*?)(<!-- results:\2 end -->)", re.DOTALL)
# Sizes that the README shows; recordings have more.
SHOWN_SIZES = [256, 512, 1024, 2048, 4096, 5120, 8192, 16384]


class OutOfPlace(Exception):
    """A section or a recording is not what it should be."""


def markdown_table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "| --- |" + " ---: |" * (len(header) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def figure(value, pattern):
    return format(value, pattern) if value is not None else ""


def find(rows, **wanted):
    return next((row for row in rows if all(row[name] == value for name, value in wanted.items())), None)


def middle(rows, column):
    values = sorted(row[column] for row in rows)
    return values[len(values) // 2] if values else None


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def shown_sizes(rows):
    measured = {row["m"] for row in rows}
    return [size for size in SHOWN_SIZES if size in measured]


def ladder_table(recorded):
    rows = squares(recorded.timed())
    operations = in_order(row["operations"] for row in rows)[0]
    rows = [row for row in rows if row["operations"] == operations]
    sizes = shown_sizes(rows)
    table = []
    for kernel in in_order(row["asked"] for row in rows):
        cells = [find(rows, asked=kernel, m=size) for size in sizes]
        last = next(cell for cell in reversed(cells) if cell is not None)
        table.append([kernel, *(figure(cell and cell["tflops"], ".1f") for cell in cells),
                      f"{last['ratio']:.2f}"])
    table.append(["cuBLAS", *(figure(middle([row for row in rows if row["m"] == size], "cublas_tflops"), ".1f")
                              for size in sizes), "1"])
    layout = "Row-major" if rows[0]["layout"] == "row" else "Column-major"
    return (f"{layout} {operations}, TFLOP/s by m = n = k; in the last column, how many times as fast as cuBLAS at "
            "the largest size measured.\n\n"
            + markdown_table(["kernel", *map(str, sizes), "ratio"], table))


def squares_table(recorded):
    warm, cold = squares(recorded.timed()), squares(recorded.timed("cold"))
    kernel = in_order(row["asked"] for row in warm)[0]
    operations = in_order(row["operations"] for row in warm)
    table = []
    for size in shown_sizes(warm):
        cells = []
        for pair in operations:
            row = find(warm, asked=kernel, m=size, operations=pair)
            cold_row = find(cold, asked=kernel, m=size, operations=pair)
            text = f"{row['tflops']:.1f} ({row['ratio']:.2f})" if row else ""
            cells.append(text + (f", cold ({cold_row['ratio']:.2f})" if row and cold_row else ""))
        table.append([str(size), *cells])
    return (f"Kernel {kernel}, TFLOP/s by m = n = k; in brackets, how many times as fast as cuBLAS.\n\n"
            + markdown_table(["size", *operations], table))


def shapes_table(recorded):
    kinds = []
    for mode in ("warm", "cold"):
        rows = recorded.timed(mode)
        for kernel in in_order(row["asked"] for row in rows):
            ratios = sorted(row["ratio"] for row in rows if row["asked"] == kernel)
            fractions = [(row["roofline_fraction"], row["cublas_roofline_fraction"])
                         for row in rows if row["asked"] == kernel]
            ours, cublas = (sorted(column)[len(ratios) // 2] for column in zip(*fractions))
            kinds.append([f"{kernel}, {mode}", str(len(ratios)), f"{geometric_mean(ratios):.2f}",
                          f"{ratios[len(ratios) // 2]:.2f}", f"{ratios[0]:.2f}",
                          str(sum(ratio >= 1 for ratio in ratios)), f"{100 * ours:.0f} %", f"{100 * cublas:.0f} %"])
    return markdown_table(["kernel", "shapes", "ratio to cuBLAS, geometric mean", "median", "lowest",
                           "at least 1", "of the roofline, median", "cuBLAS"], kinds)


def second_source_table(recorded):
    rows = recorded.timed()
    kernels = in_order(row["asked"] for row in rows)
    table = []
    for name in in_order(row["name"] for row in rows):
        of_shape = [row for row in rows if row["name"] == name]
        cells = [find(of_shape, asked=kernel) for kernel in kernels]
        first = of_shape[0]
        table.append([f"{first['m']:.0f}x{first['n']:.0f}x{first['k']:.0f}",
                      *(figure(cell and cell["us"], ".0f") for cell in cells),
                      figure(middle(of_shape, "cublas_us"), ".0f"),
                      f"{first['us'] * first['roofline_fraction']:.0f}"])
    return ("Row-major NN, microseconds.\n\n"
            + markdown_table(["m x n x k", *kernels, "cuBLAS", "roofline"], table))


def counters_table(recorded):
    """What ncu counted, in the terms of a thread's inner loop."""
    table = []
    for row in recorded.rows:
        products = row["size"] ** 3 / 32  # of warps
        table.append([row["asked"],
                      f"{100 * row['fma_instructions'] / 32 / row['instructions']:.0f} %",
                      f"{row['issue_slots_used_pct']:.0f} %",
                      f"{row['global_load_requests'] / products:.3f}",
                      f"{row['global_load_sectors'] / row['global_load_requests']:.1f}",
                      f"{row['l1_wavefronts_pct']:.0f} %",
                      f"{row['shared_conflicts'] / 1e6:.0f} M",
                      f"{row['l2_read_sectors'] * 32 / 1e9:.1f} GB",
                      f"{row['dram_read_bytes'] / 1e9:.1f} GB",
                      f"{row['warps_resident']:.0f}",
                      " / ".join(f"{row[name]:.1f}" for name in
                                 ("stall_memory", "stall_shared", "stall_load_queue", "stall_shared_queue",
                                  "stall_barrier", "stall_dispatch"))])
    return (f"Row-major NN, m = n = k = {recorded.rows[0]['size']:.0f}. Stalls: cycles that a warp waits for each "
            "instruction issued, for global memory / shared memory / the queue to global memory / the queue to shared "
            "memory / a barrier / an operand's register bank.\n\n"
            + markdown_table(["kernel", "FFMA of all instructions", "issue slots used", "global loads per FFMA",
                              "sectors per load", "L1 and shared-memory cycles used", "bank conflicts", "read from L2",
                              "read from DRAM", "warps resident", "stalls"], table))


TABLES = {"ladder": ladder_table, "counters": counters_table, "squares": squares_table, "shapes": shapes_table,
          "second-source": second_source_table}


def section_text(name, results):
    if name not in TABLES:
        raise OutOfPlace(f"no table is called {name}; there are {', '.join(TABLES)}")
    recorded = latest(results, name)
    if recorded is None:
        raise OutOfPlace(f"no recording of {name} in {results}")
    return f"{TABLES[name](recorded)}\n{recorded.description()}; bench/results/h200/{recorded.path.name}.\n"


def regenerate(text, results):
    markers = re.findall(r"<!-- results:[\w-]+ (?:begin|end) -->", text)
    if len(markers) != 2 * len(SECTION.findall(text)):
        raise OutOfPlace("a section has no beginning or no end")
    return SECTION.sub(lambda found: found[1] + section_text(found[2], results) + found[4], text)


def main():
    here = Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("readme", type=Path, nargs="?", default=here.parent / "README.md")
    parser.add_argument("--results", type=Path, default=here / "results" / "h200")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    text = arguments.readme.read_text()
    try:
        wanted = regenerate(text, arguments.results)
    except OutOfPlace as fault:
        sys.exit(f"{arguments.readme}: {fault}")
    if text == wanted:
        return
    if arguments.check:
        sys.exit(f"{arguments.readme}: the tables are out of date; run bench/readme_tables.py")
    arguments.readme.write_text(wanted)


if __name__ == "__main__":
    main()
