"""What the application scripts share: error bounds, element by element and in float64; counts, of cases and of the shim."""

import ctypes
import sys

import numpy

# The rounding error of one FP32 operation.
UNIT = 2.0**-24


def worst_ratio(result, expected, bound):
    """The largest error of result over its bound, at most 1 for a correct result; NaN, and so greater than any limit as
    far as `not worst <= 1` tells, if the result holds NaN where `expected` does not."""
    result = numpy.asarray(result, dtype=numpy.float64)
    if result.shape != expected.shape:
        return float("inf")
    return float((abs(result - expected) / (bound + 2.0**-149)).max()) if result.size else 0.0


def worst_error(result, a, b, alpha=1.0, beta=0.0, c=None):
    """The same for result = alpha a b + beta c and the bound (k + 16) 2^-24 (|alpha| |a| |b| + |beta| |c|)."""
    a, b = (numpy.asarray(x, dtype=numpy.float64) for x in (a, b))
    expected = alpha * (a @ b)
    magnitude = abs(alpha) * (abs(a) @ abs(b))
    if beta != 0.0:
        expected += beta * numpy.asarray(c, dtype=numpy.float64)
        magnitude += abs(beta) * abs(numpy.asarray(c, dtype=numpy.float64))
    return worst_ratio(result, expected, (a.shape[-1] + 16) * UNIT * magnitude)


def worst_solution(a, x, b):
    """For a x = b by elimination: the residual over 8 n 2^-24 |a| |x|, as the norms have it. Only that can be asked: how
    far x itself is off depends on a."""
    a, x, b = (numpy.asarray(y, dtype=numpy.float64) for y in (a, x, b))
    norm = numpy.linalg.norm
    return float(norm(a @ x - b) / (8 * a.shape[0] * UNIT * norm(a) * norm(x)))


class Counter(ctypes.Structure):
    """sgemm_shim_counter of sgemm_shim.h."""

    _fields_ = [
        ("entry_point", ctypes.c_char_p), ("forwarded", ctypes.c_int), ("kernel_number", ctypes.c_int),
        ("kernel_name", ctypes.c_char_p), ("reason", ctypes.c_int), ("reason_name", ctypes.c_char_p),
        ("calls", ctypes.c_uint64), ("flops", ctypes.c_double)]


def shim_counts():
    """Calls by (symbol, kernel, reason to forward or ""); None if the shim is not preloaded."""
    try:
        read = ctypes.CDLL(None).sgemm_shim_read_counters
    except AttributeError:
        return None
    read.restype = ctypes.c_size_t
    read.argtypes = [ctypes.POINTER(Counter), ctypes.c_size_t]
    rows = (Counter * 1000)()
    found = read(rows, len(rows))
    return {(row.entry_point.decode(), row.kernel_name.decode(), row.reason_name.decode() if row.forwarded else ""): row.calls
            for row in rows[:found]}


class Tally:
    """Counts the cases, and says for each group of them what the shim did."""

    def __init__(self):
        self.passed = self.failed = 0
        self.before = shim_counts()

    def check(self, what, worst):
        """`worst`: an error over its bound."""
        if worst <= 1.0:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAILED {what}: {worst:.3g} times the bound")

    def end_of_group(self, name, must_be_served=False):
        """One line. With `must_be_served` it is a failure if the shim is there and served nothing of the group."""
        line = f"{name}: {self.passed} passed, {self.failed} failed so far"
        now = shim_counts()
        if now is not None:
            new = {key: calls - self.before.get(key, 0) for key, calls in now.items() if calls > self.before.get(key, 0)}
            line += "; " + (", ".join(
                f"{symbol} {'forwarded: ' + reason if reason else kernel} {calls}"
                for (symbol, kernel, reason), calls in sorted(new.items())) or "no call")
            if must_be_served and all(reason for _, _, reason in new):
                self.failed += 1
                print(f"FAILED {name}: the shim served nothing")
            self.before = now
        print(line, flush=True)

    def finish(self, may_serve_nothing=False):
        now = shim_counts()
        if not may_serve_nothing and now is not None and all(reason for _, _, reason in now):
            self.failed += 1
            print("FAILED: the shim is there and served nothing at all")
        print(f"cases: {self.passed} passed, {self.failed} failed")
        sys.exit(1 if self.failed or not self.passed else 0)


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)
