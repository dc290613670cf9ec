#!/usr/bin/env python3
"""The benchmark's command line: help and mistakes are answered without a GPU."""
import csv
import subprocess
import sys
import tempfile
from pathlib import Path

bench = sys.argv[1]


def run(*arguments):
    return subprocess.run([bench, *arguments], capture_output=True, text=True)


def expect(condition, what):
    if not condition:
        sys.exit(f"failed: {what}")


help_run = run("--help")
expect(help_run.returncode == 0 and "--shapes-file" in help_run.stdout, "--help prints the options")
for mistake, named in [
    (["--nonsense"], "--nonsense"),
    (["--kernels", "no_such_kernel"], "double_buffer"),
    (["--sizes", "zero"], "zero"),
    (["--shapes", "1,2"], "1,2"),
    (["--shapes-file", "/no/such/file"], "/no/such/file"),
    (["--csv"], "--csv"),
    (["--shapes", ";;;"], "m,n,k"),
    (["--replay", "/no/such/log"], "/no/such/log"),
    (["--replay", bench], "line 1"),
    (["--sizes", "99999999999"], "99999999999"),
    (["--time-budget", "inf"], "inf"),
]:
    result = run(*mistake)
    expect(result.returncode == 2, f"{mistake}: exit status {result.returncode}, not 2")
    expect(named in result.stderr, f"{mistake}: the message does not name {named}: {result.stderr}")
    expect(result.stdout == "", f"{mistake}: output on stdout: {result.stdout}")

# What is drawn with a seed is drawn again with it, and the list of it is a shapes file.
listed = run("--random", "20", "--seed", "3", "--list-shapes")
lines = listed.stdout.splitlines()
expect(listed.returncode == 0 and lines[0] == "# seed: 3" and len(lines) == 22, f"20 shapes are listed: {lines}")
expect(run("--random", "20", "--seed", "3", "--list-shapes").stdout == listed.stdout, "a seed repeats its shapes")
expect(run("--random", "20", "--list-shapes").stdout != listed.stdout, "without a seed there are others")
with tempfile.TemporaryDirectory() as folder:
    file = Path(folder) / "shapes.csv"
    file.write_text(listed.stdout)
    expect(run("--shapes-file", file, "--list-shapes").stdout.splitlines() == lines[1:], "the list is a shapes file")

planned = run("--random", "20", "--seed", "3", "--list-plans", "--kernels", "auto,naive")
rows = list(csv.DictReader(line for line in planned.stdout.splitlines() if not line.startswith("#")))
expect(planned.returncode == 0 and len(rows) == 40, f"plans are listed without a GPU: {planned.stdout}{planned.stderr}")
expect({row["status"] for row in rows} == {"planned"} and rows[1]["kernel"] == "naive", f"plans: {rows[:2]}")
