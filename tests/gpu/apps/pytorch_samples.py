#!/usr/bin/env python3
"""PyTorch's own sample inputs for everything that comes down to matrix products, in FP32 against float64 on the CPU: the
results, and their gradients. Run it alone, and with libsgemm_shim.so preloaded.

Prints one line for each operation and a last line `cases: N passed, M failed`; exit status 1 if one failed, 77 without
PyTorch or a GPU. --device=cpu: without a GPU.
"""

import sys
import types
import unittest

from products import UNIT, Tally, skip, worst_ratio
from pytorch_devices import DEVICE, numbers

import torch
from torch.utils._pytree import tree_map

try:
    import expecttest  # noqa: F401
except ImportError:
    # PyTorch's tests import it, for expectations that are not used here.
    module = types.ModuleType("expecttest")
    module.TestCase = unittest.TestCase
    sys.modules["expecttest"] = module
try:
    from torch.testing._internal.common_methods_invocations import op_db
except ImportError as error:
    skip(f"PyTorch's samples cannot be imported: {error}")

# All of these are linear in each operand, so that the same operation on the operands' absolute values, in float64, says how
# large an error may be.
OPERATIONS = ["mm", "addmm", "bmm", "baddbmm", "addbmm", "matmul", "__rmatmul__", "einsum", "nn.functional.linear", "mv", "addmv",
              "inner", "tensordot", "linalg.multi_dot", "nn.functional.bilinear"]

tally = Tally()


def mapped(sample, change):
    """The operands and scalars of a sample, each tensor or number changed."""
    return tree_map(change, (sample.input, *sample.args)), tree_map(change, sample.kwargs)


def in_float64(x):
    return x.detach().cpu().double() if isinstance(x, torch.Tensor) and x.is_floating_point() else x


def magnitude(x):
    if isinstance(x, torch.Tensor):
        return in_float64(x).abs()
    return abs(x) if isinstance(x, float) else x


def with_gradients(operation, args, kwargs, upstream=None):
    """The result and the gradients of sum(result * upstream), by operand in order. `upstream`: made of the result."""
    leaves = []

    def leaf(x):
        if isinstance(x, torch.Tensor) and x.is_floating_point():
            x = x.detach().clone().requires_grad_(True)
            leaves.append(x)
        return x

    args, kwargs = tree_map(leaf, args), tree_map(leaf, kwargs)
    result = operation(*args, **kwargs)
    gradients = torch.autograd.grad(result, leaves, upstream(result.detach()), allow_unused=True)
    return [result.detach()] + [torch.zeros_like(x) if g is None else g for x, g in zip(leaves, gradients)]


def additions(args, kwargs):
    """An upper bound of the length of every sum on the way to a result or a gradient: all sizes together."""
    sizes = []
    tree_map(lambda x: sizes.extend(x.shape) if isinstance(x, torch.Tensor) else None, (args, kwargs))
    return sum(sizes)


def upstream_of(result):
    """Values of either sign that do not depend on the device."""
    return torch.linspace(-1.0, 2.0, result.numel(), dtype=torch.float64).reshape(result.shape).to(result)


for name in OPERATIONS:
    operations = [operation for operation in op_db if operation.name == name]
    if not operations:
        tally.check(f"{name} is no operation of this PyTorch", float("inf"))
    for operation in operations:
        samples = list(operation.sample_inputs(DEVICE, torch.float32, requires_grad=False))
        for number, sample in enumerate(samples):
            args, kwargs = mapped(sample, lambda x: x)
            args64, kwargs64 = mapped(sample, in_float64)
            abs_args, abs_kwargs = mapped(sample, magnitude)
            results = with_gradients(operation, args, kwargs, upstream_of)
            expected = with_gradients(operation, args64, kwargs64, upstream_of)
            largest = with_gradients(operation, abs_args, abs_kwargs, lambda result: upstream_of(result).abs())
            terms = additions(args, kwargs) + sum(result.dim() for result in results) + 16
            for i, (result, right, bound) in enumerate(zip(results, expected, largest)):
                what = "result" if i == 0 else f"gradient {i}"
                tally.check(f"{name} {operation.variant_test_name} sample {number} {what}",
                            worst_ratio(numbers(result), numbers(right), numbers(bound) * terms * UNIT))
    tally.end_of_group(name)

tally.finish()
