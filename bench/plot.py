#!/usr/bin/env python3
"""Pictures from recorded results (needs bench/requirements.txt).

  plot.py ladder FILE --out DIR      ladder: every rung, cuBLAS and the FFMA peak; rung-NAME: each against the one before
  plot.py squares FILE... --out DIR  squares: one panel for each transposition, ours (warm, cold), cuBLAS and the FFMA
                                     peak; squares-ratio: as shapes
  plot.py shapes FILE --out DIR      shapes: ratio to cuBLAS for every shape, sorted, and the fraction of the roofline of
                                     both
  plot.py random FILE --out DIR      random: the same
  plot.py all DIRECTORY --out DIR    each of these from the newest recordings in the directory that there are
"""
import argparse
import statistics
import sys
from pathlib import Path

try:
    import matplotlib
except ModuleNotFoundError as missing:
    sys.exit(f"{missing}; python3 -m pip install -r bench/requirements.txt")

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

    def save(self, figure, name, *recorded):
        figure.supxlabel("\n".join(in_order(one.description() for one in recorded)), x=0.01, ha="left", fontsize=6, color="0.4")
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
    """Recordings of different sizes make one picture."""
    warm, cold = ([row for one in recorded for row in squares(one.timed(mode))] for mode in ("warm", "cold"))
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
        size_axes(axes, recorded[0], pair)
    for axes in panels.flat[len(operations):]:
        axes.remove()
    painter.save(figure, "squares", *recorded)
    plot_ratios(recorded, painter, "squares-ratio")


def scale_ratios(axes, letter, rows):
    axes.set(**{f"{letter}scale": "log"})
    axis = getattr(axes, f"{letter}axis")
    number = matplotlib.ticker.FuncFormatter(lambda ratio, _: f"{ratio:g}")
    axis.set_major_formatter(number)
    # Between the decades only where these are few.
    spread = max(row["ratio"] for row in rows) / min(row["ratio"] for row in rows)
    axis.set_minor_formatter(number if spread < 20 else matplotlib.ticker.NullFormatter())
    axis.set_tick_params(which="both", labelsize=6)


def colours_of(rows):
    return ["tab:green" if row["ratio"] >= 1 else "tab:orange" for row in rows]


def plot_named_ratios(rows, cold, kernel):
    """A bar with its name for each shape, the slowest at the bottom."""
    places = range(len(rows))
    figure, (ratios, fractions) = plt.subplots(1, 2, figsize=(10, 1.5 + 0.15 * len(rows)), sharey=True,
                                               layout="constrained")
    # Bars grow from 1, to the right where ours is faster.
    ratios.barh(places, [row["ratio"] - 1 for row in rows], left=1, color=colours_of(rows))
    place_of = dict(zip((row["name"] for row in rows), places))
    ratios.scatter([row["ratio"] for row in cold], [place_of[row["name"]] for row in cold], s=10, marker="|",
                   color="black", label="cold")
    scale_ratios(ratios, "x", rows + cold)
    ratios.axvline(1, color=CUBLAS_COLOUR, linewidth=0.8)
    ratios.set_yticks(places, [row["name"] for row in rows], fontsize=6)
    ratios.set(ylim=(-1, len(rows)))
    fractions.scatter([row["cublas_roofline_fraction"] for row in rows], places, s=10, color=CUBLAS_COLOUR,
                      label="cuBLAS")
    fractions.scatter([row["roofline_fraction"] for row in rows], places, s=10, color="tab:blue", label=kernel)
    fractions.set(xlim=(0, 1.05))
    return figure, ratios, fractions


def plot_many_ratios(rows, cold, kernel):
    """Points without names."""
    figure, (ratios, fractions) = plt.subplots(2, 1, figsize=(10, 7), sharex=True, layout="constrained")
    places = range(len(rows))
    ratios.scatter(places, [row["ratio"] for row in rows], s=6, color=colours_of(rows))
    # Sorted by itself: between points of its own order the eye finds no curve.
    ratios.plot(range(len(cold)), sorted(row["ratio"] for row in cold), color="black", linewidth=0.8, label="cold")
    scale_ratios(ratios, "y", rows + cold)
    ratios.axhline(1, color=CUBLAS_COLOUR, linewidth=0.8)
    fractions.scatter(places, [row["cublas_roofline_fraction"] for row in rows], s=4, color=CUBLAS_COLOUR,
                      label="cuBLAS")
    fractions.scatter(places, [row["roofline_fraction"] for row in rows], s=4, color="tab:blue", label=kernel)
    fractions.set(ylim=(0, 1.05), xlabel=f"{len(rows)} shapes, by ratio")
    return figure, ratios, fractions


def plot_ratios(recorded, painter, name):
    """For every shape, sorted: the ratio to cuBLAS, and the fraction of the roofline of both."""
    warm, cold = ([row for one in recorded for row in one.timed(mode)] for mode in ("warm", "cold"))
    kernel = in_order(row["asked"] for row in warm)[0]
    rows = sorted((row for row in warm if row["asked"] == kernel), key=lambda row: row["ratio"])
    measured = {row["name"] for row in rows}
    cold = [row for row in cold if row["asked"] == kernel and row["name"] in measured]
    plot = plot_named_ratios if len(rows) <= 100 else plot_many_ratios
    figure, ratios, fractions = plot(rows, cold, kernel)
    ratios.set(title=f"{kernel}: times as fast as cuBLAS")
    if cold:
        ratios.legend(fontsize=7)
    fractions.set(title="fraction of the roofline")
    fractions.legend()
    painter.save(figure, name, *recorded)


# What each kind draws, and the recordings that it draws from: those of them that there are.
PLOTS = {"ladder": (lambda recorded, painter: plot_ladder(recorded[0], painter), ["ladder"]),
         "squares": (plot_squares, ["small-squares", "squares"]),
         "shapes": (lambda recorded, painter: plot_ratios(recorded, painter, "shapes"), ["shapes"]),
         "random": (lambda recorded, painter: plot_ratios(recorded, painter, "random"), ["random"])}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=[*PLOTS, "all"])
    parser.add_argument("source", type=Path, nargs="+", help="recordings, or for `all` a directory of them")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--format", choices=["svg", "png"], default="svg")
    arguments = parser.parse_args()
    painter = Painter(arguments.out, arguments.format)
    if arguments.kind != "all":
        plot, _ = PLOTS[arguments.kind]
        plot([Recorded(path) for path in arguments.source], painter)
        return
    [directory] = arguments.source
    for plot, names in PLOTS.values():
        found = [recorded for name in names if (recorded := latest(directory, name)) is not None]
        if found:
            plot(found, painter)


if __name__ == "__main__":
    main()
