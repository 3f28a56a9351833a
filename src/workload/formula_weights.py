"""Weights that a formula gives, for networks_test.cc and yolo_test.cc: no weights need to be kept."""
import numpy as np
import torch


def noise(count, ordinal):
    """count numbers in [-1, 1) that look random and are the same in every language."""
    mask = np.uint64(0xFFFFFFFF)
    x = (np.arange(count, dtype=np.uint64) + np.uint64(ordinal * 7919)) * np.uint64(2654435761)
    x &= mask
    for _ in range(2):
        x = ((x ^ (x >> np.uint64(16))) * np.uint64(0x45D9F3B)) & mask
    x ^= x >> np.uint64(16)
    return x.astype(np.float64) / 2147483648.0 - 1


def fill(tensor, values):
    tensor.copy_(torch.from_numpy(values.astype(np.float32)).reshape(tensor.shape))


def set_weights(network, gain):
    ordinal = 0
    for name, tensor in list(network.named_parameters()) + list(network.named_buffers()):
        ordinal += 1
        if name.endswith(("num_batches_tracked", "dfl")):
            continue
        values = noise(tensor.numel(), ordinal)
        if name.endswith("running_var"):
            values = 1 + 0.5 * values
        elif tensor.dim() > 1:
            values = values * np.sqrt(gain / (tensor.numel() / tensor.shape[0]))
        elif name.endswith("weight"):
            values = 1 + 0.2 * values
        else:
            values = 0.1 * values
        fill(tensor, values)
