#!/usr/bin/env python3
"""Fits the constants of lib/costs and of the rows of lib/kernel_table.cpp to what `sgemm_bench --every-choice` measured.

    sgemm_bench --list-figures >figures.txt
    bench/fit_costs.py figures.txt CHOICES.csv... [--family pipelines] [--worst 10]

The formulas are those of lib/costs, in its words; a constant here has the name that it has there. Each family of kernels is
fitted by itself, by least squares of the logarithms, candidates near the fastest of their call counting most. Printed are the
constants, how far estimates lie from what was measured for candidates within 30 % of the fastest, and what choosing by them
within the family would cost (regret). `sgemm_bench --list-plans` and fit_model.py --plans tell the same of the library, once the
constants stand there. Needs bench/requirements.txt. Recordings of one GPU only: its multiprocessors and clock are in them.
"""
import argparse
import math
import sys
from pathlib import Path

try:
    import numpy as np
    from scipy.optimize import least_squares
except ModuleNotFoundError as missing:
    sys.exit(f"{missing}; python3 -m pip install -r bench/requirements.txt")

from fit_model import geometric_mean, read_figures
from recorded import Recorded

LANES = 128  # multiply-adds of a multiprocessor in a cycle
NOMINAL_TBS = 4.8  # an H200's, of which the shares of memory are shares
CACHED_BYTES = 40e6
CLUSTER_SHARES = {1: 1, 2: 1, 3: 117 / 132, 4: 120 / 132, 6: 102 / 132, 8: 112 / 132, 12: 84 / 132, 16: 104 / 132}
HOPELESS = 2.5  # times the fastest: of no interest to a choice


class Case:
    """A call, and the ways in which it was measured: (kernel, k_parts, shares_tiles, meeting_parts) and microseconds."""

    def __init__(self, row):
        m, n, k = (int(row[name]) for name in "mnk")
        swap = row["layout"] == "row"  # the column-major call swaps A and B
        a_transposed, b_transposed = row["transA"] == "T", row["transB"] == "T"
        if swap:
            m, n, a_transposed, b_transposed = n, m, b_transposed, a_transposed
        least = (k if a_transposed else m, n if b_transposed else k, m)
        names = ("ldb", "lda", "ldc") if swap else ("lda", "ldb", "ldc")
        lds = [int(row[name] or least) for name, least in zip(names, least)]
        off = row["misalign"] not in ("0/0/0", "")
        self.name = row["name"]
        self.call = {"m": m, "n": n, "k": k, "batch": int(row["batch"]),
                     "along_k_a": a_transposed, "along_k_b": not b_transposed,
                     "wide_a": lds[0] % 4 == 0 and not off, "wide_b": lds[1] % 4 == 0 and not off,
                     "wide_c": lds[2] % 4 == 0 and not off,
                     "dense_a": lds[0] == least[0], "dense_b": lds[1] == least[1], "dense_c": lds[2] == least[2],
                     "bytes": 4.0 * int(row["batch"]) * (m * k + k * n + m * n)}
        self.times = {}

    def add(self, row):
        choice = dict(part.split("=") for part in row["choice"].split(";")) if row["choice"] else {}
        if row["kernel"] == "cublas" or "tail_tiles" in choice:
            return
        way = (row["kernel"], int(choice.get("k_parts", 1)), "shares_tiles" in choice, int(choice.get("meeting_parts", 0)))
        self.times[way] = min(row["us"], self.times.get(way, math.inf))


def read_cases(paths):
    cases = {}
    for recorded in map(Recorded, paths):
        for row in recorded.timed():
            key = tuple(row[name] for name in ("layout", "m", "n", "k", "transA", "transB", "batch", "lda", "ldb", "ldc", "misalign"))
            cases.setdefault(key, Case(row)).add(row)
    return [case for case in cases.values() if case.times]


def overlapped(one, other):
    longer, shorter = np.maximum(one, other), np.minimum(one, other)
    return longer + 0.25 * shorter * (shorter / np.maximum(longer, 1e-30)) ** 2


def fill(size, tile):
    """The share of the tiles' rows, columns or steps that exist."""
    return size / (math.ceil(size / tile) * tile)


class Family:
    """Kernels with one formula. Subclasses name the constants with where to begin, and give features() and estimate()."""

    def __init__(self, kernels, figures, multiprocessors, mhz):
        self.kernels, self.figures, self.multiprocessors, self.mhz = kernels, figures, multiprocessors, mhz

    def memory_us(self, f, share):
        return np.where(f["bytes"] > CACHED_BYTES, f["bytes"] / (share * NOMINAL_TBS * 1e6), 0)

    def of_kernel(self, f, constants, name, otherwise=None):
        """Of a kernel without a constant of that name: `otherwise`, if there is one."""
        values = [constants[f"{name} {kernel}"] if otherwise is None else constants.get(f"{name} {kernel}", otherwise)
                  for kernel in self.kernels]
        return np.array(values)[f["kernel"].astype(int)]

    def collect(self, cases):
        """Arrays of features, the times, the weights, and whose row is whose."""
        rows, times, weights, owners = [], [], [], []
        for number, case in enumerate(cases):
            fastest = min(case.times.values())
            for way, us in case.times.items():
                if way[0] in self.kernels and us < HOPELESS * fastest:
                    rows.append({**case.call, **self.features(case.call, *way), "kernel": self.kernels.index(way[0])})
                    times.append(us)
                    weights.append(1 / (1 + 3 * (us / fastest - 1)))
                    owners.append((number, way))
        features = {name: np.array([float(row[name]) for row in rows]) for name in rows[0]} if rows else {}
        return features, np.array(times), np.array(weights), owners

    def fit(self, f, times, weights):
        start = self.constants()
        names = list(start)
        begin = np.log([start[name] for name in names])

        # What comes by single floats costs no less than what comes by 16 bytes, and no memory is faster than the nominal one.
        position = {name: number for number, name in enumerate(names)}
        twins = [(position[name.replace("_single", "")], position[name], -1 if "memory_share" in name else 1)
                 for name in names if "_single" in name and name.replace("_single", "") in position]
        shares = [position[name] for name in names if name.endswith("memory_share")]

        def errors(logarithms):
            constants = dict(zip(names, np.exp(logarithms)))
            impossible = [sign * (logarithms[wide] - logarithms[single]) for wide, single, sign in twins]
            impossible += [logarithms[share] for share in shares]
            # What no recording tells stays where it began.
            return np.concatenate([weights * np.log(self.estimate(f, constants) / times), 0.005 * (logarithms - begin),
                                   10 * np.maximum(impossible, 0)])
        solved = least_squares(errors, begin, loss="soft_l1", f_scale=0.1, max_nfev=1000)
        return dict(zip(names, np.exp(solved.x)))

    def tiles(self, call, kernel):
        figures = self.figures[kernel]
        return (math.ceil(call["m"] / figures["tile_m"]) * math.ceil(call["n"] / figures["tile_n"]) * call["batch"], figures)


class Pipelines(Family):
    """tile_*, sliced_*: producers copy slices, consumers multiply them."""

    def constants(self):
        return {"pipeline_start": 1.8, "pipeline_round": 0.6, "write_registers": 5e-5, "write_vectors": 2e-4, "write_single": 4e-4,
                "cycles_per_wide_copy": 23, "cycles_per_single_copy": 9.5, "cluster_start": 0.8,
                "cluster_per_part": 0.02, "cluster_per_element": 1e-4, "sharing_start": 4.5, "sharing_per_element": 1e-4,
                "l2_bytes_per_cycle": 19, "memory_share": 0.7, "memory_share_single": 0.36,
                **{f"efficiency {kernel}": 0.6 for kernel in self.kernels},
                **{f"half_efficient_blocks {kernel}": 0.3 for kernel in self.kernels},
                **{f"exchange {kernel}": 1e-4 for kernel in self.kernels if kernel.startswith("sliced_")}}

    def features(self, call, kernel, k_parts, shares, _):
        tiles, figures = self.tiles(call, kernel)
        held = figures["blocks_per_multiprocessor"]
        slices = math.ceil(call["k"] / figures["tile_k"])
        if shares:
            each, steps = held, math.ceil(tiles * slices / (self.multiprocessors * held))
        else:
            each = math.ceil(tiles * k_parts / (self.multiprocessors * CLUSTER_SHARES[k_parts]))
            steps = math.ceil(slices / k_parts)
        # Of whose tiles the sums go from registers to C.
        whole = (call["m"] // figures["tile_m"]) * (call["n"] // figures["tile_n"]) * call["batch"] / tiles
        if kernel.startswith("sliced_") or k_parts > 1:
            whole = 0
        return {**figures, "tiles": tiles, "each": each, "steps": steps, "parts": k_parts, "shares": shares, "whole": whole,
                "parts_of_tile": self.multiprocessors * held / tiles + 1}

    def estimate(self, f, c):
        held = f["blocks_per_multiprocessor"]
        full, last = np.divmod(f["each"], held)
        elements = f["tile_m"] * f["tile_n"]

        def copies(wide, along_k, length):
            return np.where((wide > 0) & (along_k == 0), length / 4 * c["cycles_per_wide_copy"],
                            length * c["cycles_per_single_copy"])
        copy = (copies(f["wide_a"], f["along_k_a"], f["tile_m"]) +
                copies(f["wide_b"], f["along_k_b"], f["tile_n"])) * f["tile_k"] / 32
        multiply = elements * f["tile_k"] / (LANES * self.of_kernel(f, c, "efficiency"))
        half = self.of_kernel(f, c, "half_efficient_blocks")

        def slice_us(blocks):
            some = np.maximum(blocks, 1)
            return blocks * overlapped(multiply * (some + half) / some, copy) / self.mhz
        shares = f["shares"] > 0
        write = np.where(shares, f["tiles"] / self.multiprocessors, f["each"] / f["parts"]) * elements * \
            (np.where(f["wide_c"] > 0, f["whole"] * c["write_registers"] + (1 - f["whole"]) * c["write_vectors"],
                      c["write_single"]) + self.of_kernel(f, c, "exchange", 0))
        meet = np.where(shares, c["sharing_start"] + c["sharing_per_element"] * f["parts_of_tile"] * elements,
                        np.where(f["parts"] > 1, c["cluster_start"] + c["cluster_per_part"] * f["parts"] +
                                 c["cluster_per_element"] * elements * f["each"], 0))
        work = (full + (last > 0)) * c["pipeline_round"] + f["steps"] * (full * slice_us(held) + slice_us(last)) + write + meet
        l2 = 4 * f["tiles"] * (f["tile_m"] + f["tile_n"]) * f["k"] / (c["l2_bytes_per_cycle"] * self.multiprocessors * self.mhz)
        wide = ((f["along_k_a"] > 0) | (f["wide_a"] > 0)) & ((f["along_k_b"] > 0) | (f["wide_b"] > 0))
        memory = self.memory_us(f, np.where(wide, c["memory_share"], c["memory_share_single"]))
        return c["pipeline_start"] + np.maximum(np.maximum(work, l2), memory)


class Registers(Family):
    """direct_*, dot*: the two vector kernels read two rounds at once; direct_wide reads as direct_tall does with A and B exchanged."""
    READS = ("along_mn", "along_mn_single", "along_k", "along_k_single")
    LATENCIES = ("both_along_mn", "a_along_mn", "b_along_mn", "both_along_k")
    OTHER = {"a": "b", "b": "a", "both_along_mn": "both_along_mn", "a_along_mn": "b_along_mn", "b_along_mn": "a_along_mn",
             "both_along_k": "both_along_k"}

    def of_model(self, kernel, what):
        """The kernel whose constants stand for this one, and which of them."""
        if kernel == "direct_wide":
            return "direct_tall", self.OTHER[what]
        return kernel, "a" if kernel == "dot" and what == "b" else what

    def constants(self):
        reads = sorted({self.of_model(kernel, operand) for kernel in self.kernels for operand in "ab"})
        latencies = sorted({self.of_model(kernel, latency) for kernel in self.kernels for latency in self.LATENCIES})
        return {"registers_start": 1.5, "registers_cluster": 1.5, "registers_cluster_per_part": 0.05,
                "meeting": 1, "meeting_per_part": 0.02, "registers_memory_share": 0.6, "registers_memory_share_single": 0.4,
                **{f"{read} of {operand} {kernel}": 150 for kernel, operand in reads for read in self.READS},
                **{f"latency {latency} {kernel}": 0.45 for kernel, latency in latencies},
                **{f"round_us {kernel}": 0.2 for kernel in self.kernels},
                **{f"block_us {kernel}": 0.1 for kernel in self.kernels},
                **{f"write_us {kernel}": 1e-4 for kernel in self.kernels}}

    def features(self, call, kernel, k_parts, _, meeting_parts):
        tiles, figures = self.tiles(call, kernel)
        parts = meeting_parts or k_parts
        rounds_of_k = math.ceil(math.ceil(call["k"] / figures["tile_k"]) / parts)
        each = math.ceil(tiles * parts / (self.multiprocessors * CLUSTER_SHARES[1 if meeting_parts else k_parts]))
        return {**figures, "each": each, "parts": parts, "meets": meeting_parts > 0, "rounds_of_k": rounds_of_k,
                "fill_a": fill(call["m"], figures["tile_m"]), "fill_b": fill(call["n"], figures["tile_n"]),
                "fill_k": call["k"] / (rounds_of_k * parts * figures["tile_k"]),
                "latencies": math.ceil(rounds_of_k / 2) if kernel in ("dot_tall", "dot_wide") else rounds_of_k}

    def estimate(self, f, c):
        which = f["kernel"].astype(int)

        def read_cycles(operand):
            owners = [self.of_model(kernel, operand) for kernel in self.kernels]
            table = np.array([[c[f"{read} of {own} {kernel}"] for read in self.READS] for kernel, own in owners])
            column = np.where(f[f"along_k_{operand}"] > 0, 2, 0) + np.where(f[f"wide_{operand}"] > 0, 0, 1)
            return table[which, column] * f[f"fill_{operand}"]
        owners = [[self.of_model(kernel, latency) for latency in self.LATENCIES] for kernel in self.kernels]
        latencies = np.array([[c[f"latency {own} {kernel}"] for kernel, own in row] for row in owners])
        latency = latencies[which, np.where(f["along_k_a"] > 0, 2, 0) + np.where(f["along_k_b"] > 0, 1, 0)]
        block = f["rounds_of_k"] * f["fill_k"] * (read_cycles("a") + read_cycles("b")) / self.mhz + self.of_kernel(f, c, "block_us")
        rounds = np.ceil(f["each"] / f["blocks_per_multiprocessor"])
        round_us = np.where(f["meets"] > 0, 0, self.of_kernel(f, c, "round_us"))
        work = overlapped(rounds * (f["latencies"] * latency + round_us), f["each"] * block)
        elements = f["tile_m"] * f["fill_a"] * f["tile_n"] * f["fill_b"]
        write = f["each"] * elements * self.of_kernel(f, c, "write_us") * np.where(f["wide_c"] > 0, 1, 2)
        meet = np.where(f["meets"] > 0, c["meeting"] + c["meeting_per_part"] * f["parts"],
                        np.where(f["parts"] > 1, c["registers_cluster"] + c["registers_cluster_per_part"] * f["parts"], 0))
        share = np.where(f["wide_a"] * f["wide_b"] > 0, c["registers_memory_share"], c["registers_memory_share_single"])
        return c["registers_start"] + overlapped(work + write + meet, self.memory_us(f, share))


def copy_cycles(f, cycles, single, k, fast_a, fast_b):
    """Of a tile of the kernels whose warps copy for themselves."""
    sides = f["side_m"] * np.where(fast_a, 1, single) + f["side_n"] * np.where(fast_b, 1, single)
    return sides * k / 128 * cycles


class Fetch(Family):
    """one_fetch. Tiles and warps as lib/kernels/small_tiles.hpp has them."""

    def constants(self):
        return {"fetch_start": 2.5, "fetch_cycles_per_copy": 30, "fetch_single": 1.7, "fetch_efficiency": 0.4, "fetch_step": 0.003,
                "fetch_write": 3e-4, "fetch_per_warp": 0.03, "fetch_cluster": 0.5, "fetch_cluster_per_part": 0.05,
                "fetch_memory_share": 0.6}

    def features(self, call, _, k_parts, __, ___):
        part = math.ceil(call["k"] / k_parts)
        sides = [32 if size > 16 else 16 if size > 8 else 8 for size in (call["m"], call["n"])]

        def warps():
            return min(max(math.ceil(part / 16), 1), 16 if sides[0] * sides[1] <= 256 else 8)

        def tiles():
            return math.ceil(call["m"] / sides[0]) * math.ceil(call["n"] / sides[1]) * call["batch"]
        while sides[0] * sides[1] > 64:
            blocks = tiles() * k_parts
            if blocks >= self.multiprocessors - self.multiprocessors // 8 and blocks * warps() >= 4 * self.multiprocessors:
                break
            sides[0 if sides[0] >= sides[1] else 1] //= 2
        return {"side_m": sides[0], "side_n": sides[1], "part": part, "warps": warps(), "parts": k_parts,
                "each": math.ceil(tiles() * k_parts / (self.multiprocessors * CLUSTER_SHARES[k_parts]))}

    def estimate(self, f, c):
        elements = f["side_m"] * f["side_n"]
        multiply = elements * f["part"] / (LANES * c["fetch_efficiency"])
        copy = copy_cycles(f, c["fetch_cycles_per_copy"], c["fetch_single"], f["part"], f["wide_a"] > 0, f["wide_b"] > 0)
        work = np.maximum(f["each"] * np.maximum(multiply, copy) / self.mhz,
                          np.ceil(f["part"] / f["warps"]) * c["fetch_step"] * np.ceil(f["each"] / 2))
        write = f["each"] * elements * c["fetch_write"] * np.where(f["wide_c"] > 0, 1, 2)
        cluster = np.where(f["parts"] > 1, c["fetch_cluster"] + c["fetch_cluster_per_part"] * f["parts"], 0)
        return c["fetch_start"] + np.maximum(work + write + c["fetch_per_warp"] * f["warps"] + cluster,
                                             self.memory_us(f, c["fetch_memory_share"]))


class Tiny(Family):
    """tiny_matrices. Warps, stages and sides as lib/kernels/tiny_matrices.cuh and small_tiles.hpp have them."""
    WARPS = 4  # of a block
    BLOCKS = 5  # of a multiprocessor
    LARGEST = 32
    STAGE_FLOATS = 1424

    def constants(self):
        return {"tiny_start": 1, "tiny_cycles_per_copy": 20, "tiny_single": 2, "tiny_efficiency": 0.4, "tiny_slice": 1,
                "tiny_step": 0.01, "tiny_sums": 1e-3, "tiny_write": 1e-4, "tiny_write_single": 2e-4, "tiny_matrix": 0.03,
                "tiny_memory_share": 0.6}

    def features(self, call, *_):
        def side(size):
            tiles = math.ceil(size / self.LARGEST)
            return size if size <= self.LARGEST else (math.ceil(size / tiles) + 7) // 8 * 8
        sides = side(call["m"]), side(call["n"])
        tiles = math.ceil(call["m"] / sides[0]) * math.ceil(call["n"] / sides[1]) * call["batch"]
        slices = math.ceil(call["k"] / max(1, min(call["k"], self.STAGE_FLOATS // sum(sides))))

        def is_run(operand, along_mn):
            whole = slices == 1 if call[f"along_k_{operand}"] else along_mn <= self.LARGEST
            return call[f"dense_{operand}"] and whole
        return {"side_m": sides[0], "side_n": sides[1], "tiles": tiles, "slices": slices,
                "fast_a": call["wide_a"] or is_run("a", call["m"]), "fast_b": call["wide_b"] or is_run("b", call["n"]),
                "fast_c": call["wide_c"] or call["dense_c"] and call["m"] <= self.LARGEST,
                "each": min(tiles, self.WARPS * math.ceil(math.ceil(tiles / self.WARPS) / self.multiprocessors)),
                "rounds": math.ceil(tiles / (self.multiprocessors * self.BLOCKS * self.WARPS))}

    def estimate(self, f, c):
        elements = f["side_m"] * f["side_n"]
        multiply = elements * f["k"] / (LANES * c["tiny_efficiency"])
        copy = copy_cycles(f, c["tiny_cycles_per_copy"], c["tiny_single"], f["k"], f["fast_a"] > 0, f["fast_b"] > 0)
        each_us = np.maximum(multiply, copy) / self.mhz + \
            elements * np.where(f["fast_c"] > 0, c["tiny_write"], c["tiny_write_single"]) + c["tiny_matrix"]
        latency = c["tiny_slice"] * f["slices"] + c["tiny_step"] * f["k"] + c["tiny_sums"] * elements
        work = f["each"] * each_us + f["rounds"] * latency
        return c["tiny_start"] + np.maximum(work, self.memory_us(f, c["tiny_memory_share"]))


class Staged(Family):
    """staged_*: a block's threads load a chunk of k, store it to shared memory and multiply it from there."""

    def constants(self):
        return {"staged_start": 1.3, "staged_cycles_along_mn": 4, "staged_cycles_along_k": 6, "staged_write": 1e-4,
                "staged_cluster": 0.5, "staged_cluster_per_part": 0.05, "staged_cluster_per_element": 1e-4, "staged_memory_share": 0.6,
                **{f"efficiency {kernel}": 0.3 for kernel in self.kernels},
                **{f"chunk_us {kernel}": 0.4 for kernel in self.kernels},
                **{f"block_us {kernel}": 0.05 for kernel in self.kernels}}

    def features(self, call, kernel, k_parts, *_):
        tiles, figures = self.tiles(call, kernel)
        chunks = math.ceil(math.ceil(call["k"] / figures["tile_k"]) / k_parts)
        return {**figures, "parts": k_parts, "chunks": chunks, "part": min(call["k"], chunks * figures["tile_k"]),
                "each": math.ceil(tiles * k_parts / (self.multiprocessors * CLUSTER_SHARES[k_parts])),
                "fill_m": fill(call["m"], figures["tile_m"]), "fill_n": fill(call["n"], figures["tile_n"])}

    def estimate(self, f, c):
        def loads(along_k, length):
            return length * f["part"] / 32 * np.where(along_k > 0, c["staged_cycles_along_k"], c["staged_cycles_along_mn"])
        load = loads(f["along_k_a"], f["tile_m"] * f["fill_m"]) + loads(f["along_k_b"], f["tile_n"] * f["fill_n"])
        multiply = f["tile_m"] * f["tile_n"] * np.ceil(f["part"] / 4) * 4 / (LANES * self.of_kernel(f, c, "efficiency"))
        write = f["tile_m"] * f["fill_m"] * f["tile_n"] * f["fill_n"] * c["staged_write"] / f["parts"]
        block = (load + multiply) / self.mhz + write + self.of_kernel(f, c, "block_us")
        rounds = np.ceil(f["each"] / f["blocks_per_multiprocessor"])
        wait = rounds * f["chunks"] * self.of_kernel(f, c, "chunk_us")
        cluster = np.where(f["parts"] > 1, c["staged_cluster"] + f["parts"] * (
            c["staged_cluster_per_part"] + c["staged_cluster_per_element"] * f["tile_m"] * f["tile_n"]), 0)
        return c["staged_start"] + overlapped(overlapped(wait, f["each"] * block) + cluster,
                                              self.memory_us(f, c["staged_memory_share"]))


FAMILIES = {"pipelines": (Pipelines, lambda kernel: kernel.startswith(("tile_", "sliced_"))),
            "registers": (Registers, lambda kernel: kernel.startswith(("direct_", "dot"))),
            "staged": (Staged, lambda kernel: kernel.startswith("staged_")),
            "fetch": (Fetch, lambda kernel: kernel == "one_fetch"),
            "tiny": (Tiny, lambda kernel: kernel == "tiny_matrices")}


def report(family, constants, cases, features, times, owners, worst):
    estimates = family.estimate(features, constants)
    print("\n".join(f"  {name:40} {value:.4g}" for name, value in constants.items()))
    by_case = {}
    near = {kernel: [] for kernel in family.kernels}
    for (number, way), estimate, us in zip(owners, estimates, times):
        by_case.setdefault(number, []).append((estimate, us, way))
        if us < 1.3 * min(cases[number].times.values()):
            near[way[0]].append(math.log(estimate / us))
    for kernel, errors in near.items():
        if errors:
            print(f"  {kernel:20} {len(errors):4} near the fastest: estimates {100 * np.mean(errors):+.1f} %, "
                  f"spread {100 * np.std(errors):.1f} %")
    regrets = []
    for number, ways in by_case.items():
        chosen, best = min(ways), min(ways, key=lambda way: way[1])
        regrets.append((chosen[1] / best[1], cases[number].name, chosen, best))
    print(f"  regret among them: {geometric_mean([regret[0] for regret in regrets]):.4f} over {len(regrets)} calls")
    for regret, name, chosen, best in sorted(regrets, reverse=True)[:worst]:
        print(f"    {regret:.3f}  {name}: {chosen[2]} {chosen[1]:.2f} us (estimated {chosen[0]:.2f}); "
              f"best {best[2]} {best[1]:.2f} us (estimated {best[0]:.2f})")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("figures", type=Path)
    parser.add_argument("measured", nargs="+")
    parser.add_argument("--family", choices=FAMILIES, action="append")
    parser.add_argument("--worst", type=int, default=10)
    arguments = parser.parse_args()
    figures = read_figures(arguments.figures)
    provenance = Recorded(arguments.measured[0]).provenance
    cases = read_cases(arguments.measured)
    for name in arguments.family or FAMILIES:
        kind, belongs = FAMILIES[name]
        kernels = [kernel for kernel in figures if belongs(kernel)]
        family = kind(kernels, figures, int(provenance["multiprocessors"]), float(provenance["highest_sm_clock_mhz"]))
        features, times, weights, owners = family.collect(cases)
        print(f"{name}: {len(times)} measurements")
        if len(times) > 0:
            report(family, family.fit(features, times, weights), cases, features, times, owners, arguments.worst)


if __name__ == "__main__":
    main()
