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


class LanguageModel(nn.Module):
    def __init__(self, words, width=256):
        super().__init__()
        self.encoder = nn.Embedding(words, width)
        self.rnn = nn.LSTM(width, width, num_layers=2)
        self.decoder = nn.Linear(width, words)
        self.decoder.weight = self.encoder.weight
        nn.init.uniform_(self.encoder.weight, -0.1, 0.1)
        nn.init.zeros_(self.decoder.bias)

    def forward(self, ids, state):
        above, state = self.rnn(self.encoder(ids), state)
        return self.decoder(above), state


class Pictures:
    def __init__(self, name, batch):
        self.model, shape, classes = self.make(name)
        self.samples = torch.randn(batch, *shape)
        self.labels = torch.randint(0, classes, (batch,))

    @staticmethod
    def make(name):
        if name == "lenet5":
            return LeNet5(), (1, 28, 28), 10
        from torchvision import models

        maker = {"mobilenet_v3": "mobilenet_v3_large"}.get(name, name)
        return getattr(models, maker)(), (3, 224, 224), 1000

    def loss(self):
        return F.cross_entropy(self.model(self.samples), self.labels)


class Text:
    """Windows of 35 words, the state carried from one to the next."""

    def __init__(self, batch, words=29423, window=35):
        self.model = LanguageModel(words)
        self.ids = torch.randint(0, words, (window, batch))
        self.next = torch.randint(0, words, (window, batch))
        self.state = None

    def loss(self):
        scores, state = self.model(self.ids, self.state)
        self.state = tuple(part.detach() for part in state)
        return F.cross_entropy(scores.flatten(0, 1), self.next.flatten())


class Job:
    def __init__(self, name, batch):
        torch.manual_seed(1)
        self.task = Text(batch) if name == "lstm" else Pictures(name, batch)
        self.optimizer = torch.optim.SGD(self.task.model.parameters(), lr=0.01, momentum=0.9)
        self.task.model.train()

    def step(self):
        self.optimizer.zero_grad(set_to_none=True)
        loss = self.task.loss()
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
