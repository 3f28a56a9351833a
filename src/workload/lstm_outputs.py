"""Prints the recorded outputs of lstm_test.cc: an embedding, PyTorch's nn.LSTM and the embedding again
as the output, under weights that a formula gives, over two windows with the state carried.

usage: python3 src/workload/lstm_outputs.py   (PyTorch)
"""
import torch
from formula_weights import fill, noise
from torch import nn

WORDS, WIDTH, ROWS, WINDOW = 40, 256, 3, 5


def draw(tensor, ordinal, scale):
    fill(tensor, scale * noise(tensor.numel(), ordinal))


encoder = nn.Embedding(WORDS, WIDTH)
rnn = nn.LSTM(WIDTH, WIDTH, num_layers=2, batch_first=True)
bias = nn.Parameter(torch.zeros(WORDS))
with torch.no_grad():
    draw(encoder.weight, 1, 0.5)
    names = [f"{kind}_{part}_l{layer}" for layer in (0, 1) for kind, part in
             (("weight", "ih"), ("weight", "hh"), ("bias", "ih"), ("bias", "hh"))]
    for ordinal, name in enumerate(names, 2):
        draw(getattr(rnn, name), ordinal, 0.1)
    draw(bias, 10, 0.1)
state = None
for window in range(2):
    ids = torch.tensor([[(7 * (window * WINDOW + i) + 11 * row) % WORDS for i in range(WINDOW)] for row in range(ROWS)])
    following = torch.tensor(
        [[(7 * (window * WINDOW + i + 1) + 11 * row) % WORDS for i in range(WINDOW)] for row in range(ROWS)])
    above, state = rnn(encoder(ids), state)
    logits = nn.functional.linear(above, encoder.weight, bias)
    loss = nn.functional.cross_entropy(logits.reshape(-1, WORDS), following.reshape(-1))
    print("window", window, "loss", f"{loss.item():.6f}")
    for row in range(ROWS):
        print("  ", ", ".join(f"{x:.6f}f" for x in logits[row, -1, :6].tolist()))
    for parameter in [encoder.weight, bias, *rnn.parameters()]:
        parameter.grad = None
    loss.backward()
    state = tuple(part.detach() for part in state)
    print("   gradients", ", ".join(
        f"{parameter.grad.double().pow(2).sum().sqrt().item():.6f}"
        for parameter in [encoder.weight, *(getattr(rnn, name) for name in names), bias]))
