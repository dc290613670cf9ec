"""PyTorch on the device that the command line names: --device=cpu proves a script where there is no GPU."""

import sys

from products import skip

try:
    import torch
except ImportError:
    skip("PyTorch is not installed")

DEVICE = "cpu" if "--device=cpu" in sys.argv[1:] else "cuda"
if DEVICE == "cuda" and not torch.cuda.is_available():
    skip("no GPU")
torch.backends.cuda.matmul.allow_tf32 = False
torch.manual_seed(1)


def random(*shape):
    return torch.randn(*shape, device=DEVICE)


def numbers(tensor):
    return tensor.detach().cpu().numpy()
