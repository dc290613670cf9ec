#!/usr/bin/env python3
"""CuPy's FP32 products against float64: cupy.cublas.gemm (cublasSgemm_v2), matmul (cublasGemmEx), matmul of batches
(cublasGemmStridedBatchedEx). Run it alone, and with libsgemm_shim.so preloaded.

Prints a last line `cases: N passed, M failed`; exit status 1 if one failed, 77 without CuPy or a GPU.
"""

import sys

from products import worst_error

try:
    import cupy
    from cupy import cublas

    cupy.cuda.runtime.getDeviceCount()
except ImportError:
    print("skipped: CuPy is not installed")
    sys.exit(77)
except cupy.cuda.runtime.CUDARuntimeError:
    print("skipped: no GPU")
    sys.exit(77)

generator = cupy.random.default_rng(1)
passed = failed = 0


def random(*shape, order="C"):
    return cupy.asarray(generator.standard_normal(shape), dtype="f", order=order)


def check(what, result, a, b, **scalars):
    global passed, failed
    worst = worst_error(result.get(), a.get(), b.get(), **scalars)
    if worst <= 1.0:
        passed += 1
    else:
        failed += 1
        print(f"FAILED {what}: {worst:.3g} times the bound")


for m, n, k in [(1, 1, 1), (2, 3, 5), (35, 79, 19), (127, 129, 65), (128, 128, 64), (1000, 257, 33), (4097, 65, 129)]:
    for operation_a in "NT":
        for operation_b in "NT":
            for order in "CF":
                for alpha, beta in ((1.0, 0.0), (-2.0, 0.5)):
                    a = random(*((m, k) if operation_a == "N" else (k, m)), order=order)
                    b = random(*((k, n) if operation_b == "N" else (n, k)), order=order)
                    c = random(m, n, order="F")
                    before = c.get()
                    cublas.gemm(operation_a, operation_b, a, b, out=c, alpha=alpha, beta=beta)
                    check(f"{m} {n} {k} {operation_a}{operation_b} {order}", c, a if operation_a == "N" else a.T,
                          b if operation_b == "N" else b.T, alpha=alpha, beta=beta, c=before)
    a, b = random(m, k), random(k, n)
    check(f"matmul {m} {n} {k}", a @ b, a, b)
    a, b = random(5, m, k), random(5, k, n)
    check(f"matmul of a batch {m} {n} {k}", a @ b, a, b)

print(f"cases: {passed} passed, {failed} failed")
sys.exit(1 if failed or not passed else 0)
