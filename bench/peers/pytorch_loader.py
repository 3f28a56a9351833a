"""The peer of loader_bench: torchvision's ImageFolder with Pillow behind PyTorch's DataLoader.

Prints the images/s of one epoch, counted from the arrival of the first minibatch.
usage: pytorch_loader.py FOLDER WORKERS BATCH PREFETCH
"""
import sys
import time

import torch
from torchvision import datasets, transforms

folder, workers, batch, prefetch = sys.argv[1], *map(int, sys.argv[2:5])
torch.set_num_threads(1)  # as in DataLoader's workers; more does not help so small a transform
transform = transforms.Compose([
    transforms.RandomResizedCrop(224),
    transforms.RandomHorizontalFlip(),
    transforms.ToTensor(),
    transforms.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225]),
])
more = {"prefetch_factor": prefetch} if workers > 0 else {}
loader = torch.utils.data.DataLoader(
    datasets.ImageFolder(folder, transform), batch_size=batch, shuffle=True, drop_last=True,
    num_workers=workers, **more)
batches = iter(loader)
next(batches)
start = time.perf_counter()
images = sum(len(labels) for _, labels in batches)
print(images / (time.perf_counter() - start))
