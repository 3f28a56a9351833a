"""The peer of predict_bench: PowerTrain's fine-tuning of one network in eager PyTorch.

Prints the seconds of one training: modes of which a fifth is held out, each repeated, as rows of a
tensor; Adam, MSE, batches of 32, the best of all epochs by the loss on the held-out modes kept.
usage: pytorch_transfer.py MODES REPEATS EPOCHS
"""
import copy
import sys
import time

import torch
from torch import nn

modes, repeats, epochs = map(int, sys.argv[1:4])
torch.set_num_threads(1)  # more do not help matrices this small
torch.manual_seed(1)
x = torch.randn(modes, 4)
y = 100 * torch.exp(0.3 * torch.randn(modes, 1))
held = modes // 5
train_x = x[held:].repeat(repeats, 1)
train_y = y[held:].repeat(repeats, 1)
model = nn.Sequential(
    nn.Linear(4, 256), nn.ReLU(), nn.Dropout(0.4), nn.Linear(256, 128), nn.ReLU(), nn.Dropout(0.3),
    nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 1))

start = time.perf_counter()
model[-1] = nn.Linear(64, 1)  # the head is renewed, all layers are tuned
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
criterion = nn.MSELoss()
least, best = float("inf"), None
for _ in range(epochs):
    model.train()
    for rows in torch.randperm(len(train_x)).split(32):
        optimizer.zero_grad(set_to_none=True)
        criterion(model(train_x[rows]), train_y[rows]).backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        loss = criterion(model(x[:held]), y[:held]).item()
    if loss < least:
        least, best = loss, copy.deepcopy(model.state_dict())
model.load_state_dict(best)
print(time.perf_counter() - start)
