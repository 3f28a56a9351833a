"""A training or a service of a small network that takes turns on a shared accelerator (PyTorch, CPU or CUDA).

    FLYBALL_BROKER=… python3 examples/turns.py train [SECONDS] [BATCH]
    FLYBALL_BROKER=… FLYBALL_TURN_LATENCY=100ms python3 examples/turns.py serve [SECONDS] [EVERY_MS]

Without FLYBALL_BROKER it runs free. It prints its steps and the median and 99th percentile of their time, in
ms: of a training from its beginning, of a service from when the request was due."""
import sys
import time

import torch

import flyball

torch.set_num_threads(1)
kind = sys.argv[1]
seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 10
device = "cuda" if torch.cuda.is_available() else "cpu"
network = torch.nn.Sequential(torch.nn.Conv2d(3, 16, 3, padding=1), torch.nn.ReLU(), torch.nn.Conv2d(16, 16, 3, padding=1),
                              torch.nn.ReLU(), torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(),
                              torch.nn.Linear(16, 10)).to(device)
times_ms = []


def train(batch):
    optimizer = torch.optim.SGD(network.parameters(), lr=0.01)
    images, labels = torch.randn(batch, 3, 32, 32), torch.randint(10, (batch,))
    while time.monotonic() < end:
        begin = time.monotonic()
        with flyball.turn():
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(network(images.to(device)), labels.to(device)).backward()
            optimizer.step()
        times_ms.append(1e3 * (time.monotonic() - begin))


def serve(every_ms):
    image = torch.randn(16, 3, 32, 32)
    due = time.monotonic()
    while due < end:
        time.sleep(max(0, due - time.monotonic()))
        with flyball.turn(), torch.no_grad():
            network(image.to(device))
        times_ms.append(1e3 * (time.monotonic() - due))
        due += every_ms / 1e3


for _ in range(5):  # warm up
    network(torch.randn(16, 3, 32, 32).to(device)).sum().backward()
end = time.monotonic() + seconds
if kind == "serve":
    serve(float(sys.argv[3]) if len(sys.argv) > 3 else 100)
else:
    train(int(sys.argv[3]) if len(sys.argv) > 3 else 16)
times_ms.sort()
print(len(times_ms), "%.1f" % times_ms[len(times_ms) // 2], "%.1f" % times_ms[int(0.99 * (len(times_ms) - 1))])
