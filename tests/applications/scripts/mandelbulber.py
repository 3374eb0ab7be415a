"""Mandelbulber renders some of its examples with OpenCL and without; the pictures have to look the same."""

import os
import pathlib
import re

import numpy
from PIL import Image

from lines import check, failed, last, run, speed

EXAMPLES = pathlib.Path("/usr/share/mandelbulber2/examples")
NAMES = ["IFS_001", "aboxmod1_001", "benesi 001", "boolean001", "buffalo003_2", "hybrid001", "mandelbulb001", "menger smooth 001"]
# 3 are devices of type CPU; mode 3 has all effects.
OPENCL = "opencl_enabled=1#opencl_platform=0#opencl_device_type=3#opencl_mode=3"
os.environ["QT_QPA_PLATFORM"] = "offscreen"


def render(example, picture, *options):
    pathlib.Path(picture).unlink(missing_ok=True)
    _, output = run("mandelbulber2", "-C", "-n", "-f", "png", "-r", "120x90", "-o", picture, *options, example, limit=150)
    return output


def pixels(picture):
    return numpy.asarray(Image.open(picture).convert("RGB")).astype(int)


for name in NAMES:
    example = EXAMPLES / f"{name}.fract"
    host = render(example, "host.png")
    found = render(example, "opencl.png", "-O", OPENCL)
    done = re.findall(r"OpenCl - rendering finished: 100% Done", found)
    if not pathlib.Path("host.png").exists() or not pathlib.Path("opencl.png").exists() or not done:
        failed(name, last(found) + last(host))
        continue
    a, b = pixels("host.png"), pixels("opencl.png")
    far = (abs(a - b).max(2) > 40).mean()
    check(name, a.std() > 5 and far < 0.03, f"{far:.1%} of the pixels differ")
    if name == NAMES[0]:
        again = render(example, "opencl.png", "-O", OPENCL)
        if times := re.findall(r"OpenCl - rendering image: 100% Done, total time: ([\d.]+)s", again):
            speed("rendering", float(times[-1]))
