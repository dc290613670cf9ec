#!/usr/bin/env python3
"""FP32 products of JAX, which looks cuBLAS up with dlopen and dlsym, against float64. Run it alone, and with
libsgemm_shim.so preloaded.

Prints a last line `cases: N passed, M failed`; exit status 1 if one failed, 77 without JAX or a GPU.
"""

import sys

import numpy

from products import worst_error

try:
    import jax
    import jax.numpy as jnp
except ImportError:
    print("skipped: JAX is not installed")
    sys.exit(77)
if jax.default_backend() != "gpu":
    print("skipped: no GPU")
    sys.exit(77)

generator = numpy.random.default_rng(1)
passed = failed = 0
for m, n, k in [(1, 1, 1), (35, 79, 19), (129, 257, 65), (1024, 1024, 1024), (2048, 1000, 700)]:
    a = generator.standard_normal((m, k), dtype=numpy.float32)
    b = generator.standard_normal((k, n), dtype=numpy.float32)
    result = numpy.asarray(jnp.matmul(a, b, precision=jax.lax.Precision.HIGHEST))
    worst = worst_error(result, a, b)
    if worst <= 1.0:
        passed += 1
    else:
        failed += 1
        print(f"FAILED {m} {n} {k}: {worst:.3g} times the bound")

print(f"cases: {passed} passed, {failed} failed")
sys.exit(1 if failed or not passed else 0)
