"""Prints the recorded outputs of networks_test.cc: torchvision's networks under weights that a
formula gives, so that no weights need to be kept.

usage: python3 src/workload/torchvision_outputs.py   (PyTorch and torchvision)
"""
import torch
from formula_weights import fill, noise, set_weights
from torchvision import models

# Gain in variance of a layer; keeps outputs near one.
GAINS = {"resnet18": 3.0, "resnet50": 3.0, "mobilenet_v3_large": 5.0, "vgg11": 6.0}


for name, gain in GAINS.items():
    network = getattr(models, name)().eval()
    with torch.no_grad():
        set_weights(network, gain)
        samples = torch.empty(2, 3, 224, 224)
        fill(samples, noise(samples.numel(), 0))
        out = network(samples)
    print(name, "scale", float(out.abs().mean()))
    for row in out:
        print("  argmax", int(row.argmax()), " ", ", ".join(f"{x:.6f}f" for x in row[:6].tolist()))
