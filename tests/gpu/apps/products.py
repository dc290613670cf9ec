"""What the application scripts share: the error bound of style, by element, in float64."""

import numpy


def worst_error(result, a, b, alpha=1.0, beta=0.0, c=None):
    """The largest error of result = alpha a b + beta c over its bound (k + 16) 2^-24 (|alpha| |a| |b| + |beta| |c|).

    At most 1 for a correct FP32 product; NaN, and so greater than any limit as far as `not worst <= 1` tells, if the
    result holds NaN where the inputs do not.
    """
    a, b, result = (numpy.asarray(x, dtype=numpy.float64) for x in (a, b, result))
    expected = alpha * (a @ b)
    magnitude = abs(alpha) * (abs(a) @ abs(b))
    if beta != 0.0:
        expected += beta * numpy.asarray(c, dtype=numpy.float64)
        magnitude += abs(beta) * abs(numpy.asarray(c, dtype=numpy.float64))
    bound = (a.shape[-1] + 16) * 2.0**-24 * magnitude + 2.0**-149
    return float((abs(result - expected) / bound).max()) if result.size else 0.0
