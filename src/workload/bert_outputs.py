"""Prints the recorded outputs of bert_test.cc: PyTorch's own multi-head attention and its encoder of such
layers, under weights that a formula gives, so that no weights need to be kept.

usage: python3 src/workload/bert_outputs.py   (PyTorch)
"""
import torch
from torch import nn

from formula_weights import fill, noise

LAYERS, WIDTH, HEADS, HIDDEN, WORDS, ROWS, TOKENS = 2, 64, 4, 256, 100, 2, 16
LENGTHS = (16, 11)


class Bert(nn.Module):
    """Parameters in the order of bert.cc."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH)
        self.places = nn.Embedding(512, WIDTH)
        self.types = nn.Embedding(2, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, eps=1e-12)
        layer = nn.TransformerEncoderLayer(
            WIDTH, HEADS, HIDDEN, activation="gelu", layer_norm_eps=1e-12, batch_first=True)
        self.layers = nn.TransformerEncoder(layer, LAYERS)
        self.marks = nn.Linear(WIDTH, 2)

    def embedded(self, ids, types):
        return self.norm(self.words(ids) + self.types(types) + self.places(torch.arange(ids.shape[1])))

    def forward(self, ids, types, mask):
        x = self.layers(self.embedded(ids, types), src_key_padding_mask=mask == 0)
        return self.marks(x)


def ordered(network):
    """The parameters in the order in which bert.cc registers them."""
    yield from (network.words.weight, network.places.weight, network.types.weight)
    yield from (network.norm.weight, network.norm.bias)
    for layer in network.layers.layers:
        attention = layer.self_attn
        yield from (attention.in_proj_weight, attention.in_proj_bias)
        yield from (attention.out_proj.weight, attention.out_proj.bias)
        yield from (layer.norm1.weight, layer.norm1.bias)
        yield from (layer.linear1.weight, layer.linear1.bias, layer.linear2.weight, layer.linear2.bias)
        yield from (layer.norm2.weight, layer.norm2.bias)
    yield from (network.marks.weight, network.marks.bias)


def main():
    network = Bert()
    with torch.no_grad():
        for ordinal, parameter in enumerate(ordered(network), start=1):
            fill(parameter, noise(parameter.numel(), ordinal) * 0.3)
    # In training mode without dropout: the plain formulas, no fused path.
    network.train()
    for module in network.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.0
        if isinstance(module, nn.MultiheadAttention):
            module.dropout = 0.0
    place = torch.arange(TOKENS)
    ids = torch.stack([(place * 7 + 13 * row) % WORDS for row in range(ROWS)])
    types = torch.stack([(place >= 5 + row).long() for row in range(ROWS)])
    mask = torch.stack([(place < length).long() for length in LENGTHS])
    x = network.embedded(ids, types)
    attention = network.layers.layers[0].self_attn
    attended, _ = attention(x, x, x, key_padding_mask=mask == 0)
    for name, values in (("attention", attended), ("outputs", network(ids, types, mask))):
        for row in range(ROWS):
            flat = values[row, : LENGTHS[row]].flatten()
            print(name, row, ", ".join(f"{x:.6f}f" for x in flat[:6].tolist()),
                  "sum of absolutes", f"{flat.abs().sum():.5f}")


if __name__ == "__main__":
    main()
