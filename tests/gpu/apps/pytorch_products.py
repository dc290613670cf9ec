#!/usr/bin/env python3
"""FP32 products of PyTorch against float64. Run it alone, and with libsgemm_shim.so preloaded.

Prints one line for each group of cases and a last line `cases: N passed, M failed`; exit status 1 if one failed, 77 without
PyTorch or a GPU.
"""

import sys

from products import worst_error

try:
    import torch
except ImportError:
    print("skipped: PyTorch is not installed")
    sys.exit(77)
if not torch.cuda.is_available():
    print("skipped: no GPU")
    sys.exit(77)

torch.backends.cuda.matmul.allow_tf32 = False
torch.manual_seed(1)
passed = failed = 0


def random(*shape):
    return torch.randn(*shape, device="cuda")


def check(what, result, a, b, **scalars):
    global passed, failed
    worst = worst_error(result.cpu().numpy(), a.cpu().numpy(), b.cpu().numpy(), **scalars)
    if worst <= 1.0:
        passed += 1
    else:
        failed += 1
        print(f"FAILED {what}: {worst:.3g} times the bound")


def group(name):
    print(f"{name}: {passed} passed, {failed} failed so far", flush=True)


sizes = [1, 2, 3, 5, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 255, 256, 257, 511, 512, 513]
for n in sizes:
    check(f"square {n}", *(lambda a, b: (a @ b, a, b))(random(n, n), random(n, n)))
for n in [1000, 1023, 1024, 1025, 2047, 2048, 2049]:
    check(f"square {n}", *(lambda a, b: (a @ b, a, b))(random(n, n), random(n, n)))
group("squares")

for m, n, k in [(1, 513, 64), (513, 1, 64), (64, 64, 1), (3, 4097, 5), (4097, 3, 70), (35, 79, 19), (129, 65, 1000),
                (4097, 129, 33), (33, 4097, 129), (640, 639, 347), (64, 64, 20000), (4097, 4097, 63)]:
    for transposed_a in (False, True):
        for transposed_b in (False, True):
            a = random(k, m).t() if transposed_a else random(m, k)
            b = random(n, k).t() if transposed_b else random(k, n)
            check(f"{m} {n} {k} {transposed_a} {transposed_b}", a @ b, a, b)
group("transposed operands")

for offset in range(4):
    for extra in (0, 1, 3, 4):
        base_a, base_b = random(300, 200 + extra + offset), random(200 + offset, 260 + extra)
        a, b = base_a[offset : offset + 257, offset : offset + 200], base_b[offset : offset + 200, : 260 - offset]
        check(f"view, offset {offset}, padding {extra}", a @ b, a, b)
        check(f"view transposed, offset {offset}, padding {extra}", b.t() @ a.t(), b.t(), a.t())
group("views with offsets")

for beta, alpha in ((0.0, 1.0), (1.0, 1.0), (0.5, -2.0)):
    a, b, c = random(257, 65), random(65, 129), random(257, 129)
    check(f"addmm {beta} {alpha}", torch.addmm(c, a, b, beta=beta, alpha=alpha), a, b,
          alpha=alpha, beta=beta, c=c.cpu().numpy())
group("addmm")

x, weight = random(500, 300), torch.nn.Linear(300, 130, bias=False).cuda()
check("linear", weight(x).detach(), x, weight.weight.detach().t())
x.requires_grad_(True)
upstream = random(500, 130)
(weight(x) * upstream).sum().backward()
check("gradient of the input", x.grad, upstream, weight.weight.detach())
check("gradient of the weight", weight.weight.grad, upstream.t(), x.detach())
check("einsum", *(lambda a, b: (torch.einsum("ik,kj->ij", a, b), a, b))(random(100, 50), random(50, 60)))
group("modules")

for batch, m, n, k in [(1, 64, 64, 64), (7, 33, 65, 17), (12, 128, 128, 64), (300, 5, 7, 3), (3, 257, 129, 100)]:
    a, b, c = random(batch, m, k), random(batch, k, n), random(batch, m, n)
    check(f"bmm {batch} {m} {n} {k}", torch.bmm(a, b), a, b)
    a_transposed, b_transposed = a.transpose(1, 2), b.transpose(1, 2)
    check(f"bmm transposed {batch}", torch.bmm(b_transposed, a_transposed), b_transposed, a_transposed)
    broadcast = a[:1].expand(batch, m, k)
    check(f"bmm of a broadcast operand {batch}", torch.matmul(broadcast, b), broadcast, b)
    check(f"baddbmm {batch}", torch.baddbmm(c, a, b, beta=0.5, alpha=2.0), a, b, alpha=2.0, beta=0.5, c=c.cpu().numpy())
group("batches")

stream = torch.cuda.Stream()
with torch.cuda.stream(stream):
    a, b = random(700, 300), random(300, 400)
    check("another stream", a @ b, a, b)
a, b = random(512, 512), random(512, 512)
stream.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(stream):
    result = a @ b
torch.cuda.current_stream().wait_stream(stream)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    result = a @ b
for _ in range(3):
    a.normal_()
    graph.replay()
    check("CUDA graph", result, a, b)
group("streams and graphs")

print(f"cases: {passed} passed, {failed} failed")
sys.exit(1 if failed or not passed else 0)
