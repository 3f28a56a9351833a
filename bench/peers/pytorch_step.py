"""The peer of step_bench: the same training steps in eager PyTorch.

Reads lines "NETWORK STEPS" from stdin and answers each with the median milliseconds of a step, and the
mean of its CPU time.
usage: pytorch_step.py THREADS BATCH
"""
import ctypes
import sys
import time

# The allocator settings that Flyball uses, so that only the step differs.
libc = ctypes.CDLL(None)
for option, value in ((-4, 0), (-1, -1), (-2, 64 << 20), (-8, 1)):
    libc.mallopt(option, value)

import torch
import torch.nn.functional as F
import yolo
from torch import nn


class LeNet5(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, padding=2)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(400, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2).flatten(1)
        return self.fc3(F.relu(self.fc2(F.relu(self.fc1(x)))))


def make(name):
    if name == "lenet5":
        return LeNet5(), (1, 28, 28), 10
    if name == "yolo_v8n":
        return yolo.YoloV8n(), (3, 640, 640), 80
    from torchvision import models

    maker = {"mobilenet_v3": "mobilenet_v3_large"}.get(name, name)
    return getattr(models, maker)(), (3, 224, 224), 1000


class Job:
    def __init__(self, name, batch):
        torch.manual_seed(1)
        self.model, shape, classes = make(name)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.01, momentum=0.9)
        self.criterion = nn.CrossEntropyLoss()
        self.samples = torch.randn(batch, *shape)
        self.labels = torch.randint(0, classes, (batch,))
        self.loss = lambda: self.criterion(self.model(self.samples), self.labels)
        if name == "yolo_v8n":
            self.add_boxes(batch, 8, shape[1], classes)
        self.model.train()

    def add_boxes(self, batch, most, side, classes):
        size = (0.05 + 0.35 * torch.rand(batch, most, 1)) * side
        corner = torch.rand(batch, most, 2) * (side - size)
        boxes = torch.cat((corner, corner + size), -1)
        labels, mask = torch.randint(0, classes, (batch, most)), torch.ones(batch, most, dtype=torch.bool)
        self.loss = lambda: yolo.loss_of(self.model, self.samples, boxes, labels, mask)[0]

    def step(self):
        self.optimizer.zero_grad(set_to_none=True)
        loss = self.loss()
        loss.backward()
        self.optimizer.step()
        return loss.item()


def main():
    torch.set_num_threads(int(sys.argv[1]))
    batch = int(sys.argv[2])
    print(torch.__version__, flush=True)
    name, job = None, None
    for line in sys.stdin:
        wanted, steps = line.split()
        if wanted != name:
            job = None  # frees the last one first
            name, job = wanted, Job(wanted, batch)
        times = []
        cpu = time.process_time()
        for _ in range(int(steps)):
            start = time.perf_counter()
            job.step()
            times.append(time.perf_counter() - start)
        cpu = time.process_time() - cpu
        times.sort()
        print(1e3 * times[len(times) // 2], 1e3 * cpu / len(times), flush=True)


if __name__ == "__main__":
    main()
