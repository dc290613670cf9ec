#!/usr/bin/env python3
"""cupy.cublas.gemm, which calls cublasSgemm_v2, against float64. Run it alone, and with libsgemm_shim.so preloaded.

Prints a last line `N passed, M failed`; exit status 1 if one failed, 77 without CuPy or a GPU.
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
for m, n, k in [(1, 1, 1), (2, 3, 5), (35, 79, 19), (127, 129, 65), (128, 128, 64), (1000, 257, 33), (4097, 65, 129)]:
    for operation_a in "NT":
        for operation_b in "NT":
            for order in "CF":
                for alpha, beta in ((1.0, 0.0), (-2.0, 0.5)):
                    a = cupy.asarray(generator.standard_normal((m, k) if operation_a == "N" else (k, m)),
                                     dtype="f", order=order)
                    b = cupy.asarray(generator.standard_normal((k, n) if operation_b == "N" else (n, k)),
                                     dtype="f", order=order)
                    c = cupy.asarray(generator.standard_normal((m, n)), dtype="f", order="F")
                    before = c.get()
                    cublas.gemm(operation_a, operation_b, a, b, out=c, alpha=alpha, beta=beta)
                    worst = worst_error(c.get(), (a if operation_a == "N" else a.T).get(),
                                        (b if operation_b == "N" else b.T).get(), alpha=alpha, beta=beta, c=before)
                    if worst <= 1.0:
                        passed += 1
                    else:
                        failed += 1
                        print(f"FAILED {m} {n} {k} {operation_a}{operation_b} {order}: {worst:.3g} times the bound")

print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed or not passed else 0)
