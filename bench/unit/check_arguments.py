#!/usr/bin/env python3
"""The benchmark's command line: help and mistakes are answered without a GPU."""
import subprocess
import sys

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
]:
    result = run(*mistake)
    expect(result.returncode == 2, f"{mistake}: exit status {result.returncode}, not 2")
    expect(named in result.stderr, f"{mistake}: the message does not name {named}: {result.stderr}")
    expect(result.stdout == "", f"{mistake}: output on stdout: {result.stdout}")
