#!/usr/bin/env python3
"""FP32 products of PyTorch against float64. Run it alone, and with libsgemm_shim.so preloaded: it then says for each group
what was served and what was forwarded.

Prints one line for each group of cases and a last line `cases: N passed, M failed`; exit status 1 if one failed, 77 without
PyTorch or a GPU. --device=cpu: without a GPU, and so without streams and graphs.
"""

import numpy

from products import UNIT, Tally, worst_error, worst_ratio, worst_solution
from pytorch_devices import DEVICE, numbers, random

import torch

tally = Tally()


def check(what, result, a, b, **scalars):
    if "c" in scalars:
        scalars["c"] = numbers(scalars["c"])
    tally.check(what, worst_error(numbers(result), numbers(a), numbers(b), **scalars))


sizes = [1, 2, 3, 5, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 255, 256, 257, 511, 512, 513,
         1000, 1023, 1024, 1025, 2047, 2048, 2049]
for n in sizes:
    a, b = random(n, n), random(n, n)
    check(f"square {n}", torch.mm(a, b), a, b)
tally.end_of_group("mm, squares", must_be_served=True)

for m, n, k in [(1, 513, 64), (513, 1, 64), (64, 64, 1), (3, 4097, 5), (4097, 3, 70), (35, 79, 19), (129, 65, 1000),
                (4097, 129, 33), (33, 4097, 129), (640, 639, 347), (64, 64, 20000), (4097, 4097, 63)]:
    for transposed_a in (False, True):
        for transposed_b in (False, True):
            a = random(k, m).t() if transposed_a else random(m, k)
            b = random(n, k).t() if transposed_b else random(k, n)
            check(f"{m} {n} {k} {transposed_a} {transposed_b}", a @ b, a, b)
tally.end_of_group("transposed operands", must_be_served=True)

for offset in range(4):
    for extra in (0, 1, 3, 4):
        base_a, base_b = random(300, 200 + extra + offset), random(200 + offset, 260 + extra)
        a, b = base_a[offset : offset + 257, offset : offset + 200], base_b[offset : offset + 200, : 260 - offset]
        check(f"view, offset {offset}, padding {extra}", a @ b, a, b)
        check(f"view transposed, offset {offset}, padding {extra}", b.t() @ a.t(), b.t(), a.t())
tally.end_of_group("views with offsets", must_be_served=True)

for beta, alpha in ((0.0, 1.0), (1.0, 1.0), (0.5, -2.0)):
    a, b, c = random(257, 65), random(65, 129), random(257, 129)
    check(f"addmm {beta} {alpha}", torch.addmm(c, a, b, beta=beta, alpha=alpha), a, b, alpha=alpha, beta=beta, c=c)
    in_place = c.clone()
    check(f"addmm_ {beta} {alpha}", in_place.addmm_(a, b, beta=beta, alpha=alpha), a, b, alpha=alpha, beta=beta, c=c)
tally.end_of_group("addmm", must_be_served=True)
# A row in the place of C becomes the bias of a cublasLtMatmul, which is not intercepted.
a, b, c = random(257, 65), random(65, 129), random(129)
check("addmm with a row", torch.addmm(c, a, b), a, b, beta=1.0, c=c)
tally.end_of_group("addmm with a row")

for shape in ((500, 300), (7, 11, 300)):
    x, layer = random(*shape), torch.nn.Linear(300, 130, bias=False).to(DEVICE)
    weight = layer.weight
    x.requires_grad_(True)
    output = layer(x)
    flat = x.detach().reshape(-1, 300)
    check(f"linear {shape}", output.reshape(-1, 130), flat, weight.t())
    upstream = random(*output.shape)
    (output * upstream).sum().backward()
    flat_upstream = upstream.reshape(-1, 130)
    check(f"gradient of the input {shape}", x.grad.reshape(-1, 300), flat_upstream, weight)
    check(f"gradient of the weight {shape}", weight.grad, flat_upstream.t(), flat)
tally.end_of_group("Linear without bias, forward and backward", must_be_served=True)

a, b = random(100, 50), random(50, 60)
check("einsum ik,kj", torch.einsum("ik,kj->ij", a, b), a, b)
check("einsum ki,jk", torch.einsum("ki,jk->ij", a.t(), b.t()), a, b)
a, b = random(9, 33, 50), random(9, 50, 21)
check("einsum of a batch", torch.einsum("bik,bkj->bij", a, b), a, b)
a, b = random(4, 6, 33, 50), random(4, 6, 21, 50)
check("einsum of heads", torch.einsum("bhqd,bhkd->bhqk", a, b), a, b.transpose(2, 3))
check("tensordot", torch.tensordot(a[0], b[0], dims=([0, 2], [0, 2])), a[0].permute(1, 0, 2).reshape(33, -1),
      b[0].permute(0, 2, 1).reshape(-1, 21))
tally.end_of_group("einsum", must_be_served=True)

for batch, m, n, k in [(1, 64, 64, 64), (7, 33, 65, 17), (12, 128, 128, 64), (300, 5, 7, 3), (3, 257, 129, 100)]:
    a, b, c = random(batch, m, k), random(batch, k, n), random(batch, m, n)
    check(f"bmm {batch} {m} {n} {k}", torch.bmm(a, b), a, b)
    a_transposed, b_transposed = a.transpose(1, 2), b.transpose(1, 2)
    check(f"bmm transposed {batch}", torch.bmm(b_transposed, a_transposed), b_transposed, a_transposed)
    broadcast = a[:1].expand(batch, m, k)
    check(f"bmm of a broadcast operand {batch}", torch.matmul(broadcast, b), broadcast, b)
    check(f"baddbmm {batch}", torch.baddbmm(c, a, b, beta=0.5, alpha=2.0), a, b, alpha=2.0, beta=0.5, c=c)
tally.end_of_group("bmm and baddbmm", must_be_served=True)

# The squares of the distances come from one product of k + 2 columns.
for m, n, k in [(300, 257, 40), (1000, 33, 129)]:
    a, b = random(m, k), random(n, k) + 3.0
    result = numbers(torch.cdist(a, b, compute_mode="use_mm_for_euclid_dist")).astype(numpy.float64)
    x, y = numbers(a).astype(numpy.float64), numbers(b).astype(numpy.float64)
    expected = ((x[:, None, :] - y[None, :, :]) ** 2).sum(axis=2)
    magnitude = (x**2).sum(axis=1)[:, None] + (y**2).sum(axis=1)[None, :] + 2 * abs(x) @ abs(y).T
    tally.check(f"cdist {m} {n} {k}", worst_ratio(result**2, expected, (2 * k + 32) * UNIT * magnitude))
tally.end_of_group("cdist", must_be_served=True)

with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
    for batch, heads, queries, keys, width in [(2, 3, 65, 65, 32), (1, 8, 128, 257, 64)]:
        q, k, v = random(batch, heads, queries, width), random(batch, heads, keys, width), random(batch, heads, keys, width)
        result = torch.nn.functional.scaled_dot_product_attention(q, k, v)
        q64, k64, v64 = (numbers(x).astype(numpy.float64) for x in (q, k, v))
        scale = width**-0.5
        logits = scale * q64 @ k64.transpose(0, 1, 3, 2)
        weights = numpy.exp(logits - logits.max(axis=3, keepdims=True))
        weights /= weights.sum(axis=3, keepdims=True)
        # An error d of a logit is one of 2 d of its weight.
        worst_logit = ((width + 16) * UNIT * scale * abs(q64) @ abs(k64).transpose(0, 1, 3, 2)).max(axis=3, keepdims=True)
        bound = (2 * worst_logit + (2 * keys + 64) * UNIT) * (weights @ abs(v64))
        tally.check(f"attention {batch} {heads} {queries} {keys} {width}", worst_ratio(numbers(result), weights @ v64, bound))
tally.end_of_group("scaled_dot_product_attention, math path", must_be_served=True)

for n in (64, 300, 1000):
    a, b = random(n, n), random(n, 17)
    tally.check(f"solve {n}", worst_solution(numbers(a), numbers(torch.linalg.solve(a, b)), numbers(b)))
    tally.check(f"inv {n}", worst_solution(numbers(a), numbers(torch.linalg.inv(a)), numpy.eye(n)))
tally.end_of_group("linalg.solve and inv")

if DEVICE == "cuda":
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        a, b = random(700, 300), random(300, 400)
        check("another stream", a @ b, a, b)
    a, b = random(512, 512), random(512, 512)
    batch_a, batch_b = random(5, 100, 70), random(5, 70, 90)
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        a @ b, torch.bmm(batch_a, batch_b)
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = a @ b
        batch_result = torch.bmm(batch_a, batch_b)
    for _ in range(3):
        a.normal_()
        batch_b.normal_()
        graph.replay()
        check("CUDA graph", result, a, b)
        check("CUDA graph of a batch", batch_result, batch_a, batch_b)
    tally.end_of_group("streams and graphs", must_be_served=True)

tally.finish()
