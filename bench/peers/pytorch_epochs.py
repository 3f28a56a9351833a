"""The peer of cache_bench: PyTorch's DataLoader over an image folder, epoch after epoch.

After one epoch that is not counted it prints "ready" and waits for a line; then one line for each
epoch: seconds, and bytes that it and its workers read from storage.
usage: pytorch_epochs.py FOLDER WORKERS BATCH PREFETCH EPOCHS SIZE
"""
import os
import sys
import time

import torch
from torchvision import datasets, transforms

folder, workers, batch, prefetch, epochs, size = sys.argv[1], *map(int, sys.argv[2:7])
torch.set_num_threads(1)
transform = transforms.Compose([
    transforms.RandomResizedCrop(size),
    transforms.RandomHorizontalFlip(),
    transforms.ToTensor(),
    transforms.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225]),
])
loader = torch.utils.data.DataLoader(
    datasets.ImageFolder(folder, transform), batch_size=batch, shuffle=True, num_workers=workers,
    prefetch_factor=prefetch, persistent_workers=True)


def read_bytes():
    pids = [os.getpid()] + [worker.pid for worker in loader._iterator._workers]
    total = 0
    for pid in pids:
        with open(f"/proc/{pid}/io") as io:
            total += sum(int(line.split()[1]) for line in io if line.startswith("read_bytes:"))
    return total


def epoch():
    for _ in loader:
        pass


epoch()
print("ready", flush=True)
sys.stdin.readline()
for _ in range(epochs):
    start, read = time.perf_counter(), read_bytes()
    epoch()
    print(time.perf_counter() - start, read_bytes() - read, flush=True)
