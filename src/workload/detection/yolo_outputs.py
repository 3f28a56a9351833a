"""Prints the recorded numbers of yolo_test.cc: the YOLOv8n of bench/peers/yolo.py, which is eager PyTorch,
under weights that a formula gives.

usage: python3 src/workload/detection/yolo_outputs.py   (PyTorch)
"""
import pathlib
import sys

import torch

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "bench/peers"), str(ROOT / "src/workload")]
import yolo
from formula_weights import fill, noise, set_weights

GAIN = 6.0
SIDE = 96


def numbers(values):
    return ", ".join(f"{x:.6f}f" for x in values)


network = yolo.YoloV8n(80)
with torch.no_grad():
    set_weights(network, GAIN)
    image = torch.empty(2, 3, SIDE, SIDE)
    fill(image, noise(image.numel(), 0))
    boxes, scores = network.eval()(image)
print("anchors", boxes.shape[2])
for n in range(2):
    for anchor in (0, 77, 150, 188):
        print(f"{{{n}, {anchor}, {{{numbers(boxes[n, :, anchor].tolist())}}}, {{{numbers(scores[n, [0, 17, 79], anchor].tolist())}}}}},")

network.train()
wanted = torch.tensor([[[10.0, 12, 60, 70], [40, 30, 90, 92]], [[5, 50, 45, 90], [0, 0, 0, 0]]])
labels, mask = torch.tensor([[3, 17], [79, 0]]), torch.tensor([[True, True], [True, False]])
loss, (box, classes, focal) = yolo.loss_of(network, image, wanted, labels, mask)
loss.backward()
print("loss, box, class, focal:", numbers([loss.item(), box.item(), classes.item(), focal.item()]))
for name in ("model_0.conv.weight", "model_4.m.1.cv2.bn.weight", "model_9.cv1.bn.bias", "cv2.0.2.weight", "cv3.2.2.bias"):
    gradient = dict(network.named_parameters())[name].grad
    print(f'{{"{name}", {gradient.double().norm().item():.6f}f, {gradient.flatten()[1].item():.8f}f}},')
print("running mean and variance:", numbers([network.model_9.cv1.bn.running_mean[1].item(), network.model_9.cv1.bn.running_var[1].item()]))
