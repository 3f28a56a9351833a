"""A training loop of one's own, marked for Flyball: a small network on drawn pictures.

    flyball profile -- python3 examples/train_pytorch.py
    flyball tune --axis batch_size=8,16,32 -- python3 examples/train_pytorch.py --epochs 50
"""
import argparse

import flyball
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=2)
parser.add_argument("--samples", type=int, default=512)
arguments = parser.parse_args()

torch.manual_seed(1)
labels = torch.randint(0, 10, (arguments.samples,))
images = torch.randn(arguments.samples, 1, 28, 28) + labels.view(-1, 1, 1, 1) / 5
loader = DataLoader(TensorDataset(images, labels), shuffle=True,
                    batch_size=flyball.setting("batch_size", 16),
                    num_workers=flyball.setting("loader_workers", 0))
model = nn.Sequential(nn.Conv2d(1, 8, 5), nn.ReLU(), nn.MaxPool2d(4), nn.Flatten(),
                      nn.Linear(8 * 6 * 6, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)

for epoch in range(arguments.epochs):
    with flyball.window("epoch"):
        for samples, wanted in flyball.mark(loader):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(samples), wanted)
            loss.backward()
            optimizer.step()
    print(f"epoch {epoch}: loss {loss.item():.3f}")
