#!/usr/bin/env python3
"""Counts what the hardware did for each rung of the ladder, with Nsight Compute, and writes one CSV row a kernel.

    bench/profile_ladder.py build/bench/sgemm_bench OUT.csv [--size 4096] [--kernels uncoalesced,1,2,...] [--commit ID]

Clocks are left as they are. The provenance in the file's head is that of sgemm_bench's own recording.
"""
import argparse
import csv
import io
import subprocess
import sys
import tempfile
from pathlib import Path

# Column of ours: metric of ncu. Sums over the GPU, except for the percentages and averages.
METRICS = {
    "instructions": "smsp__inst_executed.sum",
    "fma_instructions": "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",  # of threads, not of warps
    "issue_slots_used_pct": "smsp__inst_issued.avg.pct_of_peak_sustained_active",
    "warps_resident": "sm__warps_active.avg.per_cycle_active",
    "global_load_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "global_load_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1_wavefronts_pct": "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed",
    "shared_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
    "l2_read_sectors": "lts__t_sectors_op_read.sum",
    "dram_read_bytes": "dram__bytes_read.sum",
    "stall_memory": "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio",
    "stall_shared": "smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio",
    "stall_load_queue": "smsp__average_warps_issue_stalled_lg_throttle_per_issue_active.ratio",
    "stall_shared_queue": "smsp__average_warps_issue_stalled_mio_throttle_per_issue_active.ratio",
    "stall_barrier": "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio",
    "stall_dispatch": "smsp__average_warps_issue_stalled_dispatch_stall_per_issue_active.ratio",
}
KERNELS = "uncoalesced,1,2,3,4,5,6,7"


def measure(bench, kernel, size, commit):
    """The provenance lines of the run, and the metrics of one launch by column."""
    with tempfile.TemporaryDirectory() as folder:
        recording = Path(folder) / "run.csv"
        command = ["ncu", "--clock-control", "none", "--csv", "--print-units", "base", "--print-fp",
                   "--metrics", ",".join(METRICS.values()), "--kernel-name-base", "mangled",
                   "--kernel-name", "regex:^_ZN10sgemm_shim", "--launch-count", "1",
                   bench, "--kernels", kernel, "--sizes", str(size), "--row-major", "--rounds", "1",
                   "--min-time-ms", "1", "--csv", str(recording), *(["--commit", commit] if commit else [])]
        finished = subprocess.run(command, capture_output=True, text=True)
        if finished.returncode != 0:
            sys.exit(f"kernel {kernel}: ncu ended with {finished.returncode}\n{finished.stdout}{finished.stderr}")
        provenance = [line for line in recording.read_text().splitlines() if line.startswith("# ")]
    table = finished.stdout[finished.stdout.index('"ID"'):]
    values = {row["Metric Name"]: row["Metric Value"].replace(",", "") for row in csv.DictReader(io.StringIO(table))
              if row.get("Metric Name")}
    missing = [metric for metric in METRICS.values() if metric not in values]
    if missing:
        sys.exit(f"kernel {kernel}: ncu did not report {', '.join(missing)}")
    return provenance, {column: float(values[metric]) for column, metric in METRICS.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench")
    parser.add_argument("out", type=Path)
    parser.add_argument("--size", type=int, default=4096)
    parser.add_argument("--kernels", default=KERNELS)
    parser.add_argument("--commit", help="what to record (default: that of sgemm_bench's build)")
    arguments = parser.parse_args()
    with arguments.out.open("w", newline="") as out:
        writer = None
        for kernel in arguments.kernels.split(","):
            provenance, row = measure(arguments.bench, kernel, arguments.size, arguments.commit)
            if writer is None:
                out.writelines(line + "\n" for line in provenance if not line.startswith("# command"))
                out.write(f"# command: {' '.join([Path(sys.argv[0]).name, *sys.argv[1:]])}\n")
                writer = csv.DictWriter(out, ["asked", "size", *METRICS], lineterminator="\n")
                writer.writeheader()
            writer.writerow({"asked": kernel, "size": arguments.size} | row)
            out.flush()


if __name__ == "__main__":
    main()
