#!/usr/bin/env python3
"""What plan() loses by its choices, and what a model of the kernels would choose, from `sgemm_bench --every-choice`.

    bench/fit_model.py MEASURED.csv... [--plans PLANS.csv] [--figures FIGURES.txt] [--worst 10] [--every-shape]

For each shape, warm and cold, the fastest of all that was measured (cuBLAS is a candidate too) stands against what plan()
chose: in the recording itself, or with --plans in the output of `sgemm_bench --list-plans` for the same shapes, which needs
no GPU and so tells at once what a change of the cost model does. Regret is how many times slower the choice is than the
best.

--figures names a plain text table: a line of column names, then a line for each kernel,

    kernel        tile_m tile_n tile_k blocks_per_multiprocessor
    tile_128x128     128    128      8                         2

`sgemm_bench --list-figures` prints the one of its kernels. For each of them the model

    time = start + waves * slices * slice time,   but at least what the bytes take

is fitted to the recordings, and then asked to choose as plan() was.
"""
import argparse
import math
import statistics
import sys
from collections import defaultdict
from pathlib import Path

from recorded import Recorded

# What makes two rows the same call.
CALL = ["layout", "m", "n", "k", "transA", "transB", "batch", "lda", "ldb", "ldc", "stride_a", "stride_b", "stride_c",
        "pointer_arrays", "beta", "ld_pad", "misalign"]
FIGURES = ["tile_m", "tile_n", "tile_k", "blocks_per_multiprocessor"]


def geometric_mean(values):
    return math.exp(statistics.fmean(map(math.log, values)))


class Case:
    """One call, warm or cold: its candidates, a time for each kernel and choice."""

    def __init__(self, row):
        self.row, self.times, self.planned = row, {}, None

    def add(self, row):
        candidate = candidate_of(row)
        self.times[candidate] = min(row["us"], self.times.get(candidate, math.inf))
        if row["asked"] == "auto":
            self.planned = candidate

    def best(self):
        return min(self.times, key=self.times.get)

    def regret(self, candidate):
        return self.times[candidate] / self.times[self.best()]

    def name(self):
        return f"{self.row['name']} {self.row['mode']}"


def candidate_of(row):
    return row["kernel"], row["choice"]


def call_of(row):
    return tuple(row[column] for column in CALL)


def read_cases(recordings):
    cases = {}
    for recorded in recordings:
        for row in recorded.rows:
            if row["status"] == "ok":
                cases.setdefault((call_of(row), row["mode"]), Case(row)).add(row)
    return [case for case in cases.values() if len(case.times) > 1]


def take_plans(cases, plans):
    """Puts the plans in the place of those that were recorded."""
    chosen = {call_of(row): candidate_of(row) for row in plans.rows if row["asked"] == "auto"}
    for case in cases:
        case.planned = chosen.get(call_of(case.row))


def read_figures(path):
    lines = [line.split() for line in path.read_text().splitlines() if line.strip() and not line.startswith("#")]
    names = lines[0]
    if names[0] != "kernel" or not set(FIGURES) <= set(names):
        sys.exit(f"{path}: the first line must name the columns: kernel {' '.join(FIGURES)}")
    return {line[0]: dict(zip(names[1:], map(float, line[1:]))) for line in lines[1:]}


class Model:
    """The time of a tiled kernel: each block walks its slices of k, and blocks come in waves."""

    def __init__(self, figures, multiprocessors, bandwidth_tbs):
        self.figures, self.multiprocessors, self.bandwidth_tbs = figures, multiprocessors, bandwidth_tbs
        self.fitted = {}  # kernel: start and slice time, us

    def knows(self, candidate):
        return candidate[0] in self.figures

    def slices(self, row, candidate):
        """Slices of k that the busiest multiprocessor's blocks walk one after the other."""
        kernel, choice = candidate
        figures = self.figures[kernel]
        parts = dict(part.split("=") for part in choice.split(";")) if choice else {}
        k_parts = int(parts.get("meeting_parts", parts.get("k_parts", 1)))
        tail_tiles, tail_parts = int(parts.get("tail_tiles", 0)), int(parts.get("tail_k_parts", 1))
        m, n = (row["n"], row["m"]) if row["layout"] == "row" else (row["m"], row["n"])
        tiles = math.ceil(m / figures["tile_m"]) * math.ceil(n / figures["tile_n"]) * row["batch"]
        slots = self.multiprocessors * figures["blocks_per_multiprocessor"]
        if parts.get("shares_tiles") == "1":
            return math.ceil(tiles * math.ceil(row["k"] / figures["tile_k"]) / int(parts["resident_blocks"]))

        def walked(blocks, parts_of_k):
            waves = math.ceil(blocks * parts_of_k / slots)
            return waves * math.ceil(math.ceil(row["k"] / parts_of_k) / figures["tile_k"])

        return walked(tiles - tail_tiles, k_parts) + (walked(tail_tiles, tail_parts) if tail_tiles else 0)

    def least_us(self, row):
        matrices = row["m"] * row["k"] + row["k"] * row["n"] + (2 if row["beta"] else 1) * row["m"] * row["n"]
        return 4e-6 * matrices * row["batch"] / self.bandwidth_tbs

    def fit(self, cases):
        """Least squares of the relative error, over what is not bound by memory."""
        points = defaultdict(list)
        for case in cases:
            for candidate, us in case.times.items():
                if self.knows(candidate) and us > 1.5 * self.least_us(case.row):
                    points[candidate[0]].append((1 / us, self.slices(case.row, candidate) / us))
        for kernel, pairs in points.items():
            # Minimal sum of (start * p + slice * q - 1)^2.
            pp, pq, qq = (sum(a[i] * a[j] for a in pairs) for i, j in ((0, 0), (0, 1), (1, 1)))
            p, q = (sum(a[i] for a in pairs) for i in (0, 1))
            determinant = pp * qq - pq * pq
            if len(pairs) >= 2 and determinant > 1e-12 * pp * qq:
                self.fitted[kernel] = (p * qq - q * pq) / determinant, (q * pp - p * pq) / determinant

    def us(self, row, candidate):
        start, slice_us = self.fitted[candidate[0]]
        return max(start + slice_us * self.slices(row, candidate), self.least_us(row))

    def choose(self, case):
        """Among what was measured; cuBLAS is no candidate of the model."""
        known = [candidate for candidate in case.times if candidate[0] in self.fitted]
        return min(known, key=lambda candidate: self.us(case.row, candidate)) if known else None

    def print_fit(self, cases):
        print(f"{'kernel':<20} {'start us':>9} {'slice us':>9} {'error of the median and of the worst tenth':>10}")
        for kernel, (start, slice_us) in self.fitted.items():
            errors = sorted(abs(self.us(case.row, candidate) / us - 1) for case in cases
                            for candidate, us in case.times.items() if candidate[0] == kernel)
            print(f"{kernel:<20} {start:9.3f} {slice_us:9.4f} {errors[len(errors) // 2]:8.1%} "
                  f"{errors[len(errors) * 9 // 10]:8.1%}")


def describe(candidate):
    kernel, choice = candidate
    return f"{kernel} {choice}".rstrip()


def report(title, cases, choice_of, worst):
    """Regret of choice_of(case) over the cases for which it is a candidate that was measured."""
    chosen = [(case, choice_of(case)) for case in cases]
    unmeasured = [(case, choice) for case, choice in chosen if choice is not None and choice not in case.times]
    judged = sorted(((case, choice) for case, choice in chosen if choice in case.times),
                    key=lambda pair: -pair[0].regret(pair[1]))
    print(f"\n{title}")
    for mode in ("warm", "cold"):
        of_mode = [(case, choice) for case, choice in judged if case.row["mode"] == mode]
        if not of_mode:
            continue
        regret = geometric_mean([case.regret(choice) for case, choice in of_mode])
        ratios = [geometric_mean([case.row["cublas_us"] / case.times[taken] for case, taken in pairs])
                  for pairs in (of_mode, [(case, case.best()) for case, _ in of_mode])]
        print(f"{mode}: {len(of_mode)} shapes, regret {regret:.3f}; ratio to cuBLAS {ratios[0]:.3f}, with the best choices "
              f"{ratios[1]:.3f}")
    for case, choice in judged[:worst]:
        print(f"  {case.regret(choice):7.3f}  {case.name():<40} chose {describe(choice)} ({case.times[choice]:.2f} us), best "
              f"{describe(case.best())} ({case.times[case.best()]:.2f} us), cuBLAS {case.row['cublas_us']:.2f} us")
    for case, choice in unmeasured[:worst]:
        print(f"  chosen, but not measured: {case.name()} {describe(choice)}")
    if len(unmeasured) > worst:
        print(f"  and {len(unmeasured) - worst} more that were not measured")
    if not judged:
        print("  nothing to judge: no choice of it was measured")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("measured", type=Path, nargs="+")
    parser.add_argument("--plans", type=Path)
    parser.add_argument("--figures", type=Path)
    parser.add_argument("--worst", type=int, default=10)
    parser.add_argument("--every-shape", action="store_true", help="list every shape, not only the worst")
    arguments = parser.parse_args()
    recordings = [Recorded(path) for path in arguments.measured]
    cases = read_cases(recordings)
    if not cases:
        sys.exit("no shape was measured with more than one choice")
    if arguments.plans is not None:
        take_plans(cases, Recorded(arguments.plans))
    worst = len(cases) if arguments.every_shape else arguments.worst
    report("What plan() chose", cases, lambda case: case.planned, worst)

    if arguments.figures is not None:
        provenance = recordings[0].provenance
        model = Model(read_figures(arguments.figures), int(provenance["multiprocessors"]),
                      float(provenance["bandwidth_tbs"]))
        model.fit(cases)
        print("\nThe model, fitted")
        model.print_fit(cases)
        report("What the model would choose among its kernels", cases, model.choose, worst)


if __name__ == "__main__":
    main()
