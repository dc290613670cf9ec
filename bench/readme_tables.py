#!/usr/bin/env python3
"""Writes the tables of recorded results into the marked sections of a README.

A section is everything between the lines
    <!-- results:NAME begin -->
    <!-- results:NAME end -->
where NAME is that of a table below; its table comes from the newest recording of that name, with its picture if there is
one. Without a recording the section is empty.
With --check nothing is written, and the exit status is 1 if a section is out of date.
"""
import argparse
import math
import os
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


def lowest(group):
    """The lowest ratio of means() and its shape, with two digits however low it is."""
    ratio = group["lowest"]["ratio"]
    return f"{ratio:{'.2f' if ratio >= 0.1 else '.2g'}} ({group['lowest']['name']})"


def means(rows):
    """What a group of rows comes to, each as often as the program called it."""
    counts = [row.get("count") or 1 for row in rows]
    total = sum(counts)

    def mean(column):
        return math.exp(sum(count * math.log(row[column]) for row, count in zip(rows, counts)) / total)

    def calls(condition):
        return sum(count for row, count in zip(rows, counts) if condition(row))

    return {"calls": total, "ratio": mean("ratio"), "lowest": min(rows, key=lambda row: row["ratio"]),
            "at least 1": calls(lambda row: row["ratio"] >= 1),
            "forwarded": calls(lambda row: row["kernel"] == "cublas" != row["asked"]),
            "ours": mean("roofline_fraction"), "cuBLAS": mean("cublas_roofline_fraction")}


def squares_table(recorded, shown=shown_sizes):
    warm, cold = squares(recorded.timed()), squares(recorded.timed("cold"))
    kernel = in_order(row["asked"] for row in warm)[0]
    operations = in_order(row["operations"] for row in warm)
    sizes = shown(warm)
    warm, cold = ([row for row in rows if row["asked"] == kernel and row["m"] in sizes] for rows in (warm, cold))
    table = []
    for size in sizes:
        cells = []
        for pair in operations:
            row = find(warm, m=size, operations=pair)
            cold_row = find(cold, m=size, operations=pair)
            text = f"{row['tflops']:.1f} ({row['ratio']:.2f})" if row else ""
            cells.append(text + (f", cold ({cold_row['ratio']:.2f})" if row and cold_row else ""))
        table.append([f"{size:.0f}", *cells])
    lines = []
    for mode, rows in (("warm", warm), ("cold", cold)):
        if rows:
            group = means(rows)
            lines.append(f"{mode} {group['ratio']:.2f}, lowest {lowest(group)}")
    return (f"Kernel {kernel}, TFLOP/s by m = n = k; in brackets, how many times as fast as cuBLAS: geometric mean "
            f"{'; '.join(lines)}.\n\n" + markdown_table(["size", *operations], table))


def small_squares_table(recorded):
    return squares_table(recorded, shown=lambda rows: sorted({row["m"] for row in rows}))


def summary_table(recorded):
    table = []
    for mode in ("warm", "cold"):
        timed = recorded.timed(mode)
        for kernel in in_order(row["asked"] for row in timed):
            for kind, is_batched in (("batch = 1", False), ("batch > 1", True)):
                rows = [row for row in timed if row["asked"] == kernel and (row["batch"] > 1) == is_batched]
                if not rows:
                    continue
                group = means(rows)
                table.append([f"{kernel}, {mode}, {kind}", f"{group['calls']:.0f}", f"{group['ratio']:.2f}",
                              lowest(group), f"{group['at least 1']:.0f}", f"{group['forwarded']:.0f}",
                              f"{100 * group['ours']:.0f} %", f"{100 * group['cuBLAS']:.0f} %"])
    return markdown_table(["kernel", "calls", "ratio to cuBLAS, geometric mean", "lowest", "at least 1", "forwarded",
                           "of the roofline, geometric mean", "cuBLAS"], table)


def random_table(recorded):
    shapes = len({row["name"] for row in recorded.rows})
    return (f"{shapes} random shapes, each dimension log-uniform in 1 to 8192, in four transpositions; seed "
            f"{recorded.provenance['seed']}, another at every run.\n\n" + summary_table(recorded))


def unaligned_table(recorded):
    """The speed of each square with operands off their alignment, and with longer columns, against itself aligned."""
    table, worst = [], []
    aligned = {"ld_pad": 0, "misalign": "0/0/0"}
    kinds = [{"ld_pad": 0, "misalign": "1/1/1"}, {"ld_pad": 1, "misalign": "0/0/0"}]
    for base in (row for row in squares(recorded.timed()) if all(row[key] == value for key, value in aligned.items())):
        cells = []
        for kind in kinds:
            shares = []
            for mode in ("warm", "cold"):
                same = {"m": base["m"], "operations": base["operations"], "asked": base["asked"]}
                before = find(squares(recorded.timed(mode)), **same, **aligned)
                after = find(squares(recorded.timed(mode)), **same, **kind)
                shares += [before["us"] / after["us"]] if before and after else []
            worst += shares
            cells.append(", cold ".join(f"{share:.2f}" for share in shares))
        table.append([f"{base['m']:.0f} {base['operations']}", f"{base['tflops']:.1f}", *cells])
    return ("Squares with every operand 4 bytes off a 16-byte boundary, and with leading dimensions one longer, as a part "
            f"of the speed of the same square aligned; lowest {min(worst):.2f}.\n\n"
            + markdown_table(["size", "aligned, TFLOP/s", "misaligned", "odd leading dimensions"], table))


# Of all kernels, the README compares these with what auto takes.
LADDER = ("uncoalesced", "naive", "shared_memory", "thread_tile_1d", "thread_tile_2d", "register_cache", "float4", "double_buffer")


def second_source_table(recorded):
    rows = recorded.timed()
    kernels = in_order(row["asked"] for row in rows if row["asked"] in (*LADDER, "auto"))
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


def host_cost_table(recorded):
    rows = [[f"{row['asked']}, {row['calls']}", *(figure(row[part], ".0f") for part in
                                                   ("plan_ns", "launch_ns", "whole_ns"))]
            for row in recorded.rows if row["served"]]
    return ("Host time of a served call with the launch stubbed out, ns, medians of a million calls.\n\n"
            + markdown_table(["kernel, calls", "plan()", "and the launch path",
                              "all of a call, whose plan is remembered: look-up, cuBLAS's handle, driver, counters"], rows))


def transpositions_table(recorded):
    rows = squares(recorded.timed())
    operations = in_order(row["operations"] for row in rows)
    table = []
    for kernel in in_order(row["asked"] for row in rows):
        speeds = [row and row["tflops"] for row in (find(rows, asked=kernel, operations=pair) for pair in operations)]
        known = [speed for speed in speeds if speed is not None]
        table.append([kernel, *(figure(speed, ".1f") for speed in speeds), f"{min(known) / known[0]:.2f}"])
    return (f"Column-major, m = n = k = {rows[0]['m']:.0f}, TFLOP/s; in the last column, the slowest as a part of the first.\n\n"
            + markdown_table(["kernel", *operations, "slowest"], table))


TABLES = {"ladder": ladder_table, "transpositions": transpositions_table, "counters": counters_table, "squares": squares_table,
          "small-squares": small_squares_table, "shapes": summary_table, "random": random_table,
          "unaligned": unaligned_table, "second-source": second_source_table, "host-cost": host_cost_table}
# The pictures that belong to a section, and what they show.
PICTURES = {"ladder": {"ladder": "TFLOP/s over size"},
            "squares": {"squares": "auto and cuBLAS over size", "squares-ratio": "Ratio to cuBLAS for every square"},
            "shapes": {"shapes": "Ratio to cuBLAS for every shape"},
            "random": {"random": "Ratio to cuBLAS for every random shape"}}


def section_text(name, results, folder):
    if name not in TABLES:
        raise OutOfPlace(f"no table is called {name}; there are {', '.join(TABLES)}")
    recorded = latest(results, name)
    if recorded is None:
        return ""
    text = f"{TABLES[name](recorded)}\n{recorded.description()}; bench/results/h200/{recorded.path.name}.\n"
    for file, caption in PICTURES.get(name, {}).items():
        picture = results / f"{file}.svg"
        if picture.exists():
            text += f"\n![{caption}]({os.path.relpath(picture, folder)})\n"
    return text


def regenerate(text, results, folder):
    markers = re.findall(r"<!-- results:[\w-]+ (?:begin|end) -->", text)
    if len(markers) != 2 * len(SECTION.findall(text)):
        raise OutOfPlace("a section has no beginning or no end")
    if not any(latest(results, name) for name in TABLES):
        raise OutOfPlace(f"no recording in {results}")  # rather than empty every section
    return SECTION.sub(lambda found: found[1] + section_text(found[2], results, folder) + found[4], text)


def main():
    here = Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("readme", type=Path, nargs="?", default=here.parent / "README.md")
    parser.add_argument("--results", type=Path, default=here / "results" / "h200")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    text = arguments.readme.read_text()
    try:
        wanted = regenerate(text, arguments.results, arguments.readme.parent)
    except OutOfPlace as fault:
        sys.exit(f"{arguments.readme}: {fault}")
    if text == wanted:
        return
    if arguments.check:
        sys.exit(f"{arguments.readme}: the tables are out of date; run bench/readme_tables.py")
    arguments.readme.write_text(wanted)


if __name__ == "__main__":
    main()
