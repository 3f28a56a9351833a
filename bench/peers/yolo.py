"""YOLOv8n in eager PyTorch, the peer of workload/detection: network, loss and assignment from the public
description, with tensor operations throughout as eager implementations have them. Parts are registered in
the order of Flyball's, so that weights by a formula are equal.
"""
import math

import torch
import torch.nn.functional as F
from torch import nn

BINS = 16
STRIDES = (8, 16, 32)
EPSILON = 1e-7


class ConvUnit(nn.Module):
    def __init__(self, c_in, c_out, window, stride=1):
        super().__init__()
        self.conv = nn.Conv2d(c_in, c_out, window, stride, window // 2, bias=False)
        self.bn = nn.BatchNorm2d(c_out, eps=1e-3, momentum=0.03)

    def forward(self, x):
        return F.silu(self.bn(self.conv(x)), inplace=True)


class Bottleneck(nn.Module):
    def __init__(self, width, adds):
        super().__init__()
        self.cv1, self.cv2, self.adds = ConvUnit(width, width, 3), ConvUnit(width, width, 3), adds

    def forward(self, x):
        return x + self.cv2(self.cv1(x)) if self.adds else self.cv2(self.cv1(x))


class C2f(nn.Module):
    def __init__(self, c_in, c_out, depth, adds):
        super().__init__()
        self.cv1 = ConvUnit(c_in, c_out, 1)
        self.cv2 = ConvUnit((2 + depth) * c_out // 2, c_out, 1)
        self.m = nn.ModuleList(Bottleneck(c_out // 2, adds) for _ in range(depth))

    def forward(self, x):
        parts = list(self.cv1(x).chunk(2, 1))
        for block in self.m:
            parts.append(block(parts[-1]))
        return self.cv2(torch.cat(parts, 1))


class Sppf(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.cv1, self.cv2 = ConvUnit(width, width // 2, 1), ConvUnit(2 * width, width, 1)
        self.pool = nn.MaxPool2d(5, 1, 2)

    def forward(self, x):
        parts = [self.cv1(x)]
        for _ in range(3):
            parts.append(self.pool(parts[-1]))
        return self.cv2(torch.cat(parts, 1))


def branch(c_in, width, c_out):
    return nn.Sequential(ConvUnit(c_in, width, 3), ConvUnit(width, width, 3), nn.Conv2d(width, c_out, 1))


class YoloV8n(nn.Module):
    def __init__(self, classes=80):
        super().__init__()
        self.classes = classes
        self.model_0 = ConvUnit(3, 16, 3, 2)
        width = 16
        for part, depth in zip((1, 3, 5, 7), (1, 2, 2, 1)):
            setattr(self, f"model_{part}", ConvUnit(width, 2 * width, 3, 2))
            width *= 2
            setattr(self, f"model_{part + 1}", C2f(width, width, depth, True))
        self.model_9 = Sppf(256)
        self.model_12 = C2f(384, 128, 1, False)
        self.model_15 = C2f(192, 64, 1, False)
        self.model_16 = ConvUnit(64, 64, 3, 2)
        self.model_18 = C2f(192, 128, 1, False)
        self.model_19 = ConvUnit(128, 128, 3, 2)
        self.model_21 = C2f(384, 256, 1, False)
        widths, wide = (64, 128, 256), max(64, min(classes, 100))
        self.cv2 = nn.ModuleList(branch(w, 4 * BINS, 4 * BINS) for w in widths)
        self.cv3 = nn.ModuleList(branch(w, wide, classes) for w in widths)
        self.register_buffer("dfl", torch.arange(BINS, dtype=torch.float32))
        for boxes, say, stride in zip(self.cv2, self.cv3, STRIDES):
            nn.init.constant_(boxes[-1].bias, 1.0)
            nn.init.constant_(say[-1].bias, math.log(5 / classes / (640 / stride) ** 2))

    def features(self, x):
        p2 = self.model_2(self.model_1(self.model_0(x)))
        p3 = self.model_4(self.model_3(p2))
        p4 = self.model_6(self.model_5(p3))
        p5 = self.model_9(self.model_8(self.model_7(p4)))
        up = lambda t: F.interpolate(t, scale_factor=2, mode="nearest")
        n4 = self.model_12(torch.cat((up(p5), p4), 1))
        n3 = self.model_15(torch.cat((up(n4), p3), 1))
        m4 = self.model_18(torch.cat((self.model_16(n3), n4), 1))
        return n3, m4, self.model_21(torch.cat((self.model_19(m4), p5), 1))

    def raw(self, x):
        return [torch.cat((b(f), c(f)), 1) for f, b, c in zip(self.features(x), self.cv2, self.cv3)]

    def anchors(self, maps):
        points, steps = [], []
        for m, stride in zip(maps, STRIDES):
            y, x = torch.meshgrid(torch.arange(m.shape[2]) + 0.5, torch.arange(m.shape[3]) + 0.5, indexing="ij")
            points.append(torch.stack((x, y), -1).view(-1, 2))
            steps.append(torch.full((m.shape[2] * m.shape[3], 1), float(stride)))
        return torch.cat(points), torch.cat(steps)

    def split(self, maps):
        joined = torch.cat([m.flatten(2) for m in maps], 2)
        return joined.split((4 * BINS, self.classes), 1)

    def distances(self, sides):
        """N×64×A to N×A×4."""
        n, _, a = sides.shape
        return sides.permute(0, 2, 1).reshape(n, a, 4, BINS).softmax(3).matmul(self.dfl)

    def forward(self, x):
        """Boxes N×4×A (corners in pixels) and scores N×C×A."""
        maps = self.raw(x)
        sides, classes = self.split(maps)
        points, steps = self.anchors(maps)
        boxes = corners(self.distances(sides), points) * steps
        return boxes.transpose(1, 2), classes.sigmoid()


def corners(distances, points):
    left, right = distances.chunk(2, -1)
    return torch.cat((points - left, points + right), -1)


def ciou(a, b):
    """Complete IoU of boxes by their corners, over the last dimension, which stays."""
    ax1, ay1, ax2, ay2 = a.chunk(4, -1)
    bx1, by1, bx2, by2 = b.chunk(4, -1)
    aw, ah, bw, bh = ax2 - ax1, ay2 - ay1, bx2 - bx1, by2 - by1
    both = (ax2.minimum(bx2) - ax1.maximum(bx1)).clamp(0) * (ay2.minimum(by2) - ay1.maximum(by1)).clamp(0)
    iou = both / (aw * ah + bw * bh - both + EPSILON)
    hull = (ax2.maximum(bx2) - ax1.minimum(bx1)) ** 2 + (ay2.maximum(by2) - ay1.minimum(by1)) ** 2 + EPSILON
    apart = ((bx1 + bx2 - ax1 - ax2) ** 2 + (by1 + by2 - ay1 - ay2) ** 2) / 4
    v = (4 / math.pi**2) * (torch.atan(bw / (bh + EPSILON)) - torch.atan(aw / (ah + EPSILON))) ** 2
    with torch.no_grad():
        alpha = v / (v - iou + (1 + EPSILON))
    return iou - (apart / hull + v * alpha)


@torch.no_grad()
def assign(scores, boxes, points, labels, wanted, mask, top=10, alpha=0.5, beta=6.0):
    """Task-aligned assignment over N×A×C scores, N×A×4 boxes and N×M boxes that are wanted (in pixels).
    Gives boxes N×A×4, scores N×A×C and which anchors are positive."""
    n, a, c = scores.shape
    m = wanted.shape[1]
    low, high = wanted.view(-1, 1, 4).chunk(2, 2)
    inside = torch.cat((points[None] - low, high - points[None]), 2).view(n, m, a, 4).amin(3).gt(1e-9)
    valid = inside & mask[..., None]
    said = scores.transpose(1, 2).gather(1, labels[..., None].expand(n, m, a))
    overlap = ciou(wanted[:, :, None].expand(n, m, a, 4), boxes[:, None].expand(n, m, a, 4)).squeeze(-1)
    overlap = overlap.clamp(0) * valid
    metric = said.pow(alpha) * overlap.pow(beta) * valid
    best, index = metric.topk(min(top, a), -1)
    chosen = torch.zeros_like(metric).scatter_(-1, index, (best > 0).float())
    positive = chosen * valid
    several = positive.sum(1, keepdim=True) > 1
    most = F.one_hot(overlap.argmax(1), m).transpose(1, 2).float()
    positive = torch.where(several, most, positive)
    owner = positive.argmax(1)
    found = positive.sum(1) > 0
    target_boxes = wanted.gather(1, owner[..., None].expand(n, a, 4))
    target_labels = labels.gather(1, owner)
    metric = metric * positive
    peak = metric.amax(-1, keepdim=True)
    reach = (overlap * positive).amax(-1, keepdim=True)
    norm = (metric * reach / (peak + 1e-9)).amax(1)
    target_scores = F.one_hot(target_labels, c) * (norm * found)[..., None]
    return target_boxes, target_scores, found


def loss_of(model, x, boxes, labels, mask):
    """The three losses with their gains."""
    maps = model.raw(x)
    sides, classes = model.split(maps)
    points, steps = model.anchors(maps)
    logits = classes.permute(0, 2, 1).contiguous()
    found = corners(model.distances(sides), points)
    wanted, scores, positive = assign(
        logits.detach().sigmoid(), found.detach() * steps, points * steps, labels, boxes, mask)
    total = scores.sum().clamp(min=1)
    class_loss = F.binary_cross_entropy_with_logits(logits, scores, reduction="none").sum() / total
    box_loss = focal = torch.zeros(())
    if positive.any():
        wanted = wanted / steps
        weight = scores.sum(-1)[positive]
        box_loss = ((1 - ciou(found[positive], wanted[positive]).squeeze(-1)) * weight).sum() / total
        near = torch.cat((points - wanted[..., :2], wanted[..., 2:] - points), -1)[positive]
        near = near.clamp(0, BINS - 1 - 0.01)
        bins = sides.permute(0, 2, 1).reshape(*positive.shape, 4, BINS)[positive].reshape(-1, BINS)
        left = near.long()
        share = (left + 1 - near).view(-1)
        entropy = lambda bin: F.cross_entropy(bins, bin.view(-1), reduction="none")
        each = entropy(left) * share + entropy(left + 1) * (1 - share)
        focal = (each.view(-1, 4).mean(-1) * weight).sum() / total
    return 7.5 * box_loss + 0.5 * class_loss + 1.5 * focal, (box_loss, class_loss, focal)
