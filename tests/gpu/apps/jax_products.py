#!/usr/bin/env python3
"""FP32 products of JAX, which looks cuBLAS up with dlopen and dlsym, against float64. Run it alone, and with
libsgemm_shim.so preloaded: it then says what was served and what was forwarded. JAX has kernels of its own for small sizes,
and cublasLtMatmul for large ones, so nothing at all may reach the shim.

Prints a last line `cases: N passed, M failed`; exit status 1 if one failed, 77 without JAX or a GPU.
"""

import numpy

from products import Tally, skip, worst_error

try:
    import jax
    import jax.numpy as jnp
except ImportError:
    skip("JAX is not installed")
if jax.default_backend() != "gpu":
    skip("no GPU")

generator = numpy.random.default_rng(1)
tally = Tally()


def random(*shape):
    return generator.standard_normal(shape, dtype=numpy.float32)


for m, n, k in [(1, 1, 1), (35, 79, 19), (129, 257, 65), (1024, 1024, 1024), (2048, 1000, 700)]:
    a, b = random(m, k), random(k, n)
    result = jnp.matmul(a, b, precision=jax.lax.Precision.HIGHEST)
    tally.check(f"matmul {m} {n} {k}", worst_error(numpy.asarray(result), a, b))
tally.end_of_group("matmul")
for m, n, k in [(64, 65, 66), (257, 129, 300)]:
    a, b = random(7, m, k), random(7, k, n)
    result = jnp.matmul(a, b, precision=jax.lax.Precision.HIGHEST)
    tally.check(f"matmul of a batch {m} {n} {k}", worst_error(numpy.asarray(result), a, b))
tally.end_of_group("batches")

tally.finish(may_serve_nothing=True)
