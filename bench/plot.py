#!/usr/bin/env python3
"""Pictures from recorded results (needs bench/requirements.txt).

  plot.py ladder FILE --out DIR    ladder: every rung, cuBLAS and the FFMA peak; rung-NAME: each against the one before
  plot.py squares FILE --out DIR   squares: one panel for each transposition, ours (warm, cold) and cuBLAS
  plot.py shapes FILE --out DIR    shapes: ratio to cuBLAS, sorted, and the fraction of the roofline of both
  plot.py all DIRECTORY --out DIR  each of these from the newest recording in the directory, if there is one
"""
import argparse
import statistics
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (after the choice of the backend)

from recorded import Recorded, in_order, latest, squares  # noqa: E402

CUBLAS_COLOUR = "0.25"
# The same recording gives the same bytes.
plt.rcParams.update({"svg.hashsalt": "sgemm-shim", "svg.fonttype": "none", "font.size": 9, "axes.grid": True,
                     "grid.alpha": 0.3, "legend.frameon": False})


class Painter:
    def __init__(self, directory, suffix):
        self.directory, self.suffix = Path(directory), suffix
        self.directory.mkdir(parents=True, exist_ok=True)

    def save(self, figure, name, recorded):
        figure.supxlabel(recorded.description(), x=0.01, ha="left", fontsize=6, color="0.4")
        path = self.directory / f"{name}.{self.suffix}"
        metadata = {"Date": None} if self.suffix == "svg" else {"Software": None}
        figure.savefig(path, metadata=metadata, dpi=150)
        plt.close(figure)
        print(path)


def speed_by_size(rows, column):
    """Sizes and the median TFLOP/s at each: cuBLAS was measured beside every kernel."""
    sizes = sorted({row["m"] for row in rows})
    return sizes, [statistics.median(row[column] for row in rows if row["m"] == size) for size in sizes]


def size_axes(axes, recorded, title):
    axes.axhline(recorded.peak_tflops(), color="tab:red", linestyle=":", linewidth=1,
                 label=f"FFMA peak {recorded.peak_tflops():g}")
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_formatter(matplotlib.ticker.FuncFormatter(lambda size, _: f"{size:g}"))
    axes.set_ylim(bottom=0)
    axes.set(title=title, xlabel="m = n = k", ylabel="TFLOP/s")
    axes.legend(fontsize=7)


def plot_ladder(recorded, painter):
    rows = squares(recorded.timed())
    operations = in_order(row["operations"] for row in rows)[0]
    rows = [row for row in rows if row["operations"] == operations]
    layout = "row-major" if rows[0]["layout"] == "row" else "column-major"
    rungs = in_order(row["asked"] for row in rows)
    colours = plt.get_cmap("viridis")

    def draw(axes, rung, **style):
        axes.plot(*speed_by_size([row for row in rows if row["asked"] == rung], "tflops"), marker="o", markersize=3,
                  label=rung, **style)

    def draw_cublas(axes):
        axes.plot(*speed_by_size(rows, "cublas_tflops"), color=CUBLAS_COLOUR, linestyle="--", label="cuBLAS")

    figure, axes = plt.subplots(figsize=(7.5, 4.8), layout="constrained")
    for index, rung in enumerate(rungs):
        draw(axes, rung, color=colours(index / max(1, len(rungs) - 1) * 0.92))
    draw_cublas(axes)
    size_axes(axes, recorded, f"Every rung of the ladder, {layout} {operations}")
    painter.save(figure, "ladder", recorded)

    for before, rung in zip([None, *rungs], rungs):
        figure, axes = plt.subplots(figsize=(5.5, 3.6), layout="constrained")
        if before is not None:
            draw(axes, before, color="tab:gray")
        draw(axes, rung, color="tab:blue")
        draw_cublas(axes)
        size_axes(axes, recorded, rung if before is None else f"{rung} after {before}")
        painter.save(figure, f"rung-{rung}", recorded)


def plot_squares(recorded, painter):
    warm, cold = squares(recorded.timed()), squares(recorded.timed("cold"))
    operations = in_order(row["operations"] for row in warm)
    figure, panels = plt.subplots(2, 2, figsize=(9, 6.5), layout="constrained", sharey=True)
    for axes, pair in zip(panels.flat, operations):
        chosen = [row for row in warm if row["operations"] == pair]
        for kernel in in_order(row["asked"] for row in chosen):
            axes.plot(*speed_by_size([row for row in chosen if row["asked"] == kernel], "tflops"), marker="o",
                      markersize=3, label=kernel)
            chosen_cold = [row for row in cold if row["operations"] == pair and row["asked"] == kernel]
            if chosen_cold:
                axes.plot(*speed_by_size(chosen_cold, "tflops"), linewidth=0.8, linestyle="-.", label=f"{kernel}, cold")
        axes.plot(*speed_by_size(chosen, "cublas_tflops"), color=CUBLAS_COLOUR, linestyle="--", label="cuBLAS")
        size_axes(axes, recorded, pair)
    for axes in panels.flat[len(operations):]:
        axes.remove()
    painter.save(figure, "squares", recorded)


def plot_shapes(recorded, painter):
    rows = recorded.timed()
    kernel = in_order(row["asked"] for row in rows)[0]
    rows = sorted((row for row in rows if row["asked"] == kernel), key=lambda row: row["ratio"])
    places = range(len(rows))
    figure, (ratios, fractions) = plt.subplots(1, 2, figsize=(10, 1.5 + 0.15 * len(rows)), sharey=True,
                                               layout="constrained")
    colours = ["tab:green" if row["ratio"] >= 1 else "tab:orange" for row in rows]
    # Bars grow from 1, to the right where ours is faster.
    ratios.barh(places, [row["ratio"] - 1 for row in rows], left=1, color=colours)
    ratios.set_xscale("log")
    number = matplotlib.ticker.FuncFormatter(lambda ratio, _: f"{ratio:g}")
    ratios.xaxis.set_major_formatter(number)
    # Between the decades only where these are few.
    spread = max(row["ratio"] for row in rows) / min(row["ratio"] for row in rows)
    ratios.xaxis.set_minor_formatter(number if spread < 20 else matplotlib.ticker.NullFormatter())
    ratios.tick_params(axis="x", which="both", labelsize=6)
    ratios.axvline(1, color=CUBLAS_COLOUR, linewidth=0.8)
    ratios.set_yticks(places, [row["name"] for row in rows], fontsize=6)
    ratios.set(title=f"{kernel}: times as fast as cuBLAS", ylim=(-1, len(rows)))
    fractions.scatter([row["cublas_roofline_fraction"] for row in rows], places, s=10, color=CUBLAS_COLOUR,
                      label="cuBLAS")
    fractions.scatter([row["roofline_fraction"] for row in rows], places, s=10, color="tab:blue", label=kernel)
    fractions.set(title="fraction of the roofline", xlim=(0, 1.05))
    fractions.legend()
    painter.save(figure, "shapes", recorded)


PLOTS = {"ladder": plot_ladder, "squares": plot_squares, "shapes": plot_shapes}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=[*PLOTS, "all"])
    parser.add_argument("source", type=Path, help="a recording, or for `all` a directory of them")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--format", choices=["svg", "png"], default="svg")
    arguments = parser.parse_args()
    painter = Painter(arguments.out, arguments.format)
    if arguments.kind != "all":
        PLOTS[arguments.kind](Recorded(arguments.source), painter)
        return
    for kind, plot in PLOTS.items():
        if (recorded := latest(arguments.source, kind)) is not None:
            plot(recorded, painter)


if __name__ == "__main__":
    main()
