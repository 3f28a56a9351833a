"""The peer of step_bench: the same training steps in eager PyTorch.

Reads lines "NETWORK STEPS BATCH" from stdin and answers each with the median milliseconds of a step, and the
mean of its CPU time.
usage: pytorch_step.py THREADS
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


class Bert(nn.Module):
    """With question answering head; its layers are PyTorch's own."""

    def __init__(self, layers, width, heads):
        super().__init__()
        self.words = nn.Embedding(30522, width)
        self.places = nn.Embedding(512, width)
        self.types = nn.Embedding(2, width)
        self.norm = nn.LayerNorm(width, eps=1e-12)
        self.dropout = nn.Dropout(0.1)
        layer = nn.TransformerEncoderLayer(
            width, heads, 4 * width, activation="gelu", layer_norm_eps=1e-12, batch_first=True)
        self.layers = nn.TransformerEncoder(layer, layers)
        self.marks = nn.Linear(width, 2)

    def forward(self, ids, types, mask):
        x = self.words(ids) + self.types(types) + self.places(torch.arange(ids.shape[1]))
        x = self.layers(self.dropout(self.norm(x)), src_key_padding_mask=mask == 0)
        return self.marks(x)


BERTS = {"bert_base": (12, 768, 12), "bert_large": (24, 1024, 16)}


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


def make(name):
    if name == "lenet5":
        return LeNet5(), (1, 28, 28), 10
    from torchvision import models

    maker = {"mobilenet_v3": "mobilenet_v3_large"}.get(name, name)
    return getattr(models, maker)(), (3, 224, 224), 1000


class Job:
    """Pictures and their classes."""

    def __init__(self, name, batch):
        torch.manual_seed(1)
        self.model, shape, classes = make(name)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.01, momentum=0.9)
        self.criterion = nn.CrossEntropyLoss()
        self.samples = torch.randn(batch, *shape)
        self.labels = torch.randint(0, classes, (batch,))
        self.model.train()

    def loss(self):
        return self.criterion(self.model(self.samples), self.labels)

    def step(self):
        self.optimizer.zero_grad(set_to_none=True)
        loss = self.loss()
        loss.backward()
        self.optimizer.step()
        return loss.item()


class QuestionJob(Job):
    """Rows of 128 tokens and where the answer stands."""

    def __init__(self, name, batch):
        torch.manual_seed(1)
        self.model = Bert(*BERTS[name])
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.01, momentum=0.9)
        self.criterion = nn.CrossEntropyLoss()
        self.ids = torch.randint(0, 30522, (batch, 128))
        self.types = (torch.arange(128) >= 16).long().expand(batch, 128)
        self.mask = torch.ones(batch, 128, dtype=torch.long)
        self.start, self.end = torch.randint(0, 128, (2, batch))
        self.model.train()

    def loss(self):
        marks = self.model(self.ids, self.types, self.mask)
        start, end = marks.unbind(-1)
        return (self.criterion(start, self.start) + self.criterion(end, self.end)) / 2


class TextJob(Job):
    """Windows of 35 words, the state carried from one to the next."""

    def __init__(self, name, batch, words=29423, window=35):
        torch.manual_seed(1)
        self.model = LanguageModel(words)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.01, momentum=0.9)
        self.ids = torch.randint(0, words, (window, batch))
        self.next = torch.randint(0, words, (window, batch))
        self.state = None
        self.model.train()

    def loss(self):
        scores, state = self.model(self.ids, self.state)
        self.state = tuple(part.detach() for part in state)
        return F.cross_entropy(scores.flatten(0, 1), self.next.flatten())


class BoxJob(Job):
    """Pictures and up to eight boxes in each."""

    def __init__(self, name, batch, most=8, side=640, classes=80):
        torch.manual_seed(1)
        self.model = yolo.YoloV8n()
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.01, momentum=0.9)
        self.samples = torch.randn(batch, 3, side, side)
        size = (0.05 + 0.35 * torch.rand(batch, most, 1)) * side
        corner = torch.rand(batch, most, 2) * (side - size)
        self.boxes = torch.cat((corner, corner + size), -1)
        self.labels = torch.randint(0, classes, (batch, most))
        self.mask = torch.ones(batch, most, dtype=torch.bool)
        self.model.train()

    def loss(self):
        return yolo.loss_of(self.model, self.samples, self.boxes, self.labels, self.mask)[0]


JOBS = {"yolo_v8n": BoxJob, "lstm": TextJob, "bert_base": QuestionJob, "bert_large": QuestionJob}


def main():
    torch.set_num_threads(int(sys.argv[1]))
    print(torch.__version__, flush=True)
    name, job = None, None
    for line in sys.stdin:
        wanted, steps, batch = line.split()
        if wanted != name:
            job = None  # frees the last one first
            name, job = wanted, JOBS.get(wanted, Job)(wanted, int(batch))
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
