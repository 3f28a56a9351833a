#!/usr/bin/env python3
"""Records what Pillow and torchvision make of the pictures here, for resample_test.cc.

usage: /usr/bin/python3 record.py    (needs python3-pil and python3-torchvision)

photo.jpg is a picture of `flyball dataset make images` (500 x 375, 4:2:0); odd.jpg is a part of it
with odd sides, progressive and without chroma subsampling; grey.jpg has one channel, cmyk.jpg four.
"""
import json
import pathlib

from PIL import Image
from torchvision.transforms import functional

here = pathlib.Path(__file__).parent
photo = Image.open(here / "photo.jpg")
if not (here / "odd.jpg").exists():
    part = photo.crop((30, 40, 30 + 121, 40 + 97))
    part.save(here / "odd.jpg", quality=85, progressive=True, subsampling=0)
    part.convert("L").save(here / "grey.jpg", quality=85)
    part.crop((0, 0, 32, 32)).convert("CMYK").save(here / "cmyk.jpg", quality=85)

# file, box (left, top, width, height) or none for the middle, side of the result, mirrored
cases = [
    ("photo.jpg", (0, 0, 500, 375), 224, False),
    ("photo.jpg", (37, 21, 260, 301), 224, False),
    ("photo.jpg", (37, 21, 260, 301), 224, True),
    ("photo.jpg", (112, 208, 96, 80), 224, False),
    ("photo.jpg", (399, 299, 101, 76), 64, False),
    ("photo.jpg", (5, 3, 490, 371), 32, False),
    ("photo.jpg", None, 224, False),
    ("odd.jpg", (0, 0, 121, 97), 48, False),
    ("odd.jpg", (11, 9, 60, 75), 96, True),
    ("odd.jpg", (120, 96, 1, 1), 8, False),
    ("odd.jpg", None, 64, False),
    ("grey.jpg", (20, 10, 77, 64), 40, False),
]
records = []
for name, box, size, mirrored in cases:
    picture = Image.open(here / name).convert("RGB")
    bilinear = functional.InterpolationMode.BILINEAR
    if box is None:
        shorter = round(size / 0.875)
        result = functional.center_crop(functional.resize(picture, shorter, bilinear), size)
    else:
        left, top, width, height = box
        result = functional.resized_crop(picture, top, left, height, width, [size, size], bilinear)
    if mirrored:
        result = functional.hflip(result)
    step = max(1, size // 32)  # every so many pixels, to keep this file small
    pixels = b"".join(
        bytes(result.getpixel((x, y))) for y in range(0, size, step) for x in range(0, size, step))
    records.append({"file": name, "box": box, "size": size, "mirrored": mirrored, "step": step,
                    "pixels": pixels.hex()})
text = json.dumps({"made_by": "Pillow %s" % Image.__version__, "cases": records}, indent=0)
(here / "pillow.json").write_text(text + "\n")
