"""Reads what sgemm_bench recorded: CSV with a commented header, which gzip may have compressed, or JSON."""
import csv
import gzip
import json
from pathlib import Path

TEXT_COLUMNS = {"name", "layout", "transA", "transB", "misalign", "asked", "kernel", "choice", "mode",
                "status", "note", "calls"}


class Recorded:
    """The provenance by name, and the rows as dictionaries: numbers as floats, None where nothing was measured."""

    def __init__(self, path):
        self.path = Path(path)
        if self.path.suffix == ".json":
            content = json.loads(self.path.read_text())
            self.provenance, self.rows = content["provenance"], content["results"]
        else:
            self.provenance, self.rows = {}, []
            packed = self.path.read_bytes()
            lines = (gzip.decompress(packed) if self.path.suffix == ".gz" else packed).decode().splitlines()
            for line in lines:
                if line.startswith("# "):
                    name, _, value = line[2:].partition(": ")
                    self.provenance[name] = value
            for row in csv.DictReader(line for line in lines if not line.startswith("#")):
                self.rows.append({name: _value(name, text) for name, text in row.items()})

    def timed(self, mode="warm"):
        return [row for row in self.rows if row["status"] == "ok" and row["mode"] == mode]

    def peak_tflops(self):
        return float(self.provenance["peak_tflops"])

    def description(self):
        """One line for a caption."""
        p = self.provenance
        machine = (f"{p['gpu']}, driver {p['driver']}, CUDA {p['cuda_runtime']}, cuBLAS {p['cublas']}" if "gpu" in p
                   else p["processor"])  # what was timed on the host alone
        return f"{machine}, {p['date'][:10]}, commit {p['commit']}"


def _value(name, text):
    if name in TEXT_COLUMNS:
        return text
    return float(text) if text else None


def latest(directory, kind):
    """The newest recording of a kind: file names end in KIND.csv or KIND.json and begin with the date."""
    found = [path for path in Path(directory).iterdir()
             if path.suffix in (".csv", ".json") and (path.stem == kind or path.stem.endswith("-" + kind))]
    return Recorded(max(found, key=lambda path: path.name)) if found else None


def in_order(values):
    """Each value once, in the order of the first appearance."""
    return list(dict.fromkeys(values))


def squares(rows):
    """Rows of square products, with transpositions as one string under 'operations'."""
    return [row | {"operations": row["transA"] + row["transB"]}
            for row in rows if row["m"] == row["n"] == row["k"] and row["batch"] == 1]
