#!/usr/bin/env python3
"""CuPy's FP32 products against float64: cupy.cublas.gemm (cublasSgemm_v2), matmul, dot and tensordot (cublasGemmEx), matmul
of batches (cublasGemmStridedBatchedEx), svd (cuSOLVER, which calls cublasSgemm_v2_64). Run it alone, and with
libsgemm_shim.so preloaded: it then says for each group what was served and what was forwarded.

Prints one line for each group of cases and a last line `cases: N passed, M failed`; exit status 1 if one failed, 77 without
CuPy or a GPU.
"""

import numpy

from products import UNIT, Tally, skip, worst_error

try:
    import cupy
    from cupy import cublas
except ImportError:
    skip("CuPy is not installed")
try:
    cupy.cuda.runtime.getDeviceCount()
except cupy.cuda.runtime.CUDARuntimeError:
    skip("no GPU")

generator = numpy.random.default_rng(1)
tally = Tally()


def random(*shape, order="C"):
    return cupy.asarray(generator.standard_normal(shape, dtype=numpy.float32), order=order)


def check(what, result, a, b, **scalars):
    tally.check(what, worst_error(result.get(), a.get(), b.get(), **scalars))


sizes = [(1, 1, 1), (2, 3, 5), (35, 79, 19), (127, 129, 65), (128, 128, 64), (1000, 257, 33), (4097, 65, 129)]

for m, n, k in sizes:
    for operation_a in "NT":
        for operation_b in "NT":
            for order in "CF":
                for alpha, beta in ((1.0, 0.0), (-2.0, 0.5)):
                    a = random(*((m, k) if operation_a == "N" else (k, m)), order=order)
                    b = random(*((k, n) if operation_b == "N" else (n, k)), order=order)
                    c = random(m, n, order="F")
                    before = c.get()
                    cublas.gemm(operation_a, operation_b, a, b, out=c, alpha=alpha, beta=beta)
                    check(f"gemm {m} {n} {k} {operation_a}{operation_b} {order}", c, a if operation_a == "N" else a.T,
                          b if operation_b == "N" else b.T, alpha=alpha, beta=beta, c=before)
tally.end_of_group("cupy.cublas.gemm", must_be_served=True)

for m, n, k in sizes:
    a, b = random(m, k), random(k, n)
    check(f"matmul {m} {n} {k}", a @ b, a, b)
    check(f"matmul of transposed views {m} {n} {k}", b.T @ a.T, b.T, a.T)
    check(f"dot {m} {n} {k}", cupy.dot(a, b), a, b)
    out = cupy.empty((m, n), dtype="f")
    cupy.dot(a, b, out=out)
    check(f"dot into an array {m} {n} {k}", out, a, b)
tally.end_of_group("matmul and dot", must_be_served=True)

for m, n, k in sizes:
    a, b = random(m, k), random(k, n)
    check(f"tensordot {m} {n} {k}", cupy.tensordot(a, b, axes=1), a, b)
a, b = random(5, 33, 40), random(5, 40, 21)
check("tensordot over two axes", cupy.tensordot(a, b, axes=([0, 2], [0, 1])), a.transpose(1, 0, 2).reshape(33, -1),
      b.reshape(-1, 21))
check("einsum", cupy.einsum("bik,bkj->bij", a, b), a, b)
tally.end_of_group("tensordot", must_be_served=True)

for m, n, k in sizes:
    a, b = random(5, m, k), random(5, k, n)
    check(f"matmul of a batch {m} {n} {k}", a @ b, a, b)
    check(f"matmul of a transposed batch {m} {n} {k}", b.transpose(0, 2, 1) @ a.transpose(0, 2, 1),
          b.transpose(0, 2, 1), a.transpose(0, 2, 1))
tally.end_of_group("batches", must_be_served=True)

# A is taken apart backward stably: put together again it is A, up to some multiple of n 2^-24 |A|.
norm = numpy.linalg.norm
for m, n in [(64, 64), (300, 200), (200, 300), (1000, 500)]:
    a = random(m, n)
    u, s, vt = (x.get().astype(numpy.float64) for x in cupy.linalg.svd(a, full_matrices=False))
    a = a.get().astype(numpy.float64)
    size = max(m, n)
    tally.check(f"svd {m} {n}", norm(u * s @ vt - a) / (8 * size * UNIT * norm(a)))
    identity = numpy.eye(min(m, n))
    for name, gram in (("U", u.T @ u), ("V", vt @ vt.T)):
        tally.check(f"svd {m} {n}: columns of {name}", norm(gram - identity) / (8 * size * UNIT * norm(identity)))
tally.end_of_group("svd")

tally.finish()
