#!/usr/bin/env python3
"""Prints `passed failed skipped` of Meson's last test run in a build directory.

Whatever is not known to be a pass or a skip counts as failed, and so does a log that is not there.
"""

import json
import pathlib
import sys

PASSED = {"OK", "EXPECTEDFAIL"}
SKIPPED = {"SKIP"}


def totals(log):
    results = [json.loads(line)["result"] for line in log.read_text().splitlines() if line]
    passed = sum(result in PASSED for result in results)
    skipped = sum(result in SKIPPED for result in results)
    return passed, len(results) - passed - skipped, skipped


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: test_totals.py BUILD-DIRECTORY")
    log = pathlib.Path(sys.argv[1]) / "meson-logs" / "testlog.json"
    print(*(totals(log) if log.exists() else (0, 1, 0)))


if __name__ == "__main__":
    main()
