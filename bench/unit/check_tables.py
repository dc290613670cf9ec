#!/usr/bin/env python3
"""The README tables: sections are written from the newest recording, and --check notices what is out of date."""
import subprocess
import sys
import tempfile
from pathlib import Path

from made_up_results import write_recordings

script = sys.argv[1]


def expect(condition, what):
    if not condition:
        sys.exit(f"failed: {what}")


def run(readme, results, *options):
    return subprocess.run([sys.executable, script, str(readme), "--results", str(results), *options],
                          capture_output=True, text=True)


with tempfile.TemporaryDirectory() as folder:
    results, readme = Path(folder) / "results", Path(folder) / "README.md"
    write_recordings(results)
    names = ["ladder", "transpositions", "squares", "small-squares", "unaligned", "shapes", "random", "second-source", "counters",
             "host-cost"]
    readme.write_text("before\n" + "".join(
        f"<!-- results:{name} begin -->\nSTALE\n<!-- results:{name} end -->\nafter {name}\n" for name in names))

    expect(run(readme, results, "--check").returncode == 1, "--check notices old sections")
    expect("STALE" in readme.read_text(), "--check writes nothing")
    written = run(readme, results)
    expect(written.returncode == 0, f"the tables are written: {written.stderr}")
    text = readme.read_text()
    expect("STALE" not in text and text.startswith("before\n"), "sections are replaced, the rest stays")
    for name in names:
        expect(f"after {name}\n" in text, f"the text after {name} stays")
    expect("| double_buffer | 10.0 | 40.0 | 0.80 |" in text, f"the ladder's row:\n{text}")
    expect("| cuBLAS | 12.5 | 50.0 | 1 |" in text, "cuBLAS's row of the ladder")
    expect("| naive | 4.0 | 4.0 | 1.0 | 4.0 | 0.25 |" in text, f"the transpositions:\n{text}")
    expect("2026-02-02-ladder.csv" in text and "2026-01-01" not in text, "the newest recording counts")
    expect("| 32x1605632x27 |" in text, "the second source's shape")
    # Half as fast, 1.5 times as fast; then 2 times as fast three times, and 16 times as fast.
    expect("| auto, cold, batch = 1 | 2 | 0.87 | 0.50 (tall) | 1 | 0 | 26 % | 31 % |" in text, f"shapes, cold:\n{text}")
    expect("| auto, warm, batch > 1 | 4 | 3.36 | 2.00 (often) | 4 | 0 | " in text, f"shapes, batches:\n{text}")
    expect("120 random shapes" in text and "seed 77," in text, "the random shapes and their seed")
    expect("| auto, warm, batch = 1 | 120 | " in text and " | 0.017 (1x10x20_TN) | 61 | 1 | " in text,
           f"random shapes, one forwarded:\n{text}")
    expect("warm 1.00, lowest 0.50 (384_NN); cold 1.00" in text and "| 128 | 16.0 (2.00), cold (2.00) |" in text,
           f"small squares:\n{text}")
    expect("| 1024 NN | 40.0 | 0.75, cold 0.75 | 0.90, cold 0.90 |" in text and "lowest 0.75" in text,
           f"unaligned squares:\n{text}")
    expect("| auto, squares | 120 | 151 | 400 |\n| naive, uneven | 10 | 20 |  |" in text, f"host cost:\n{text}")
    empty = "<!-- results:counters begin -->\n<!-- results:counters end -->"
    expect(empty in text, "what was not recorded has no table")
    expect("![" not in text, "no picture where there is none")
    expect("failed_shape" not in text, "what failed is in no table")
    expect(run(readme, results, "--check").returncode == 0, "--check is content with what was written")

    (results / "shapes.svg").touch()
    expect(run(readme, results).returncode == 0 and "(results/shapes.svg)\n<!-- results:shapes end -->" in
           readme.read_text(), "a picture goes into its section")
    text = readme.read_text()

    nothing = Path(folder) / "nothing"
    nothing.mkdir()
    expect(run(readme, nothing).returncode == 1 and readme.read_text() == text, "without recordings nothing changes")

    readme.write_text(text.replace("40.0", "41.0"))
    expect(run(readme, results, "--check").returncode == 1, "--check notices an edited number")
    for bad in ["<!-- results:ladder begin -->\n", "<!-- results:nonsense begin -->\n<!-- results:nonsense end -->\n"]:
        readme.write_text(bad)
        expect(run(readme, results).returncode == 1, f"a bad section is an error: {bad}")
