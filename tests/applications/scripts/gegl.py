"""GEGL's operations in OpenCL against the same operations without."""

import os
import pathlib
import random
import re

from lines import check, last, run, skipped

OPERATIONS = ["gaussian-blur std-dev-x=4 std-dev-y=4", "box-blur radius=4", "bilateral-filter", "brightness-contrast contrast=1.4", "levels in-low=0.1",
              "color-temperature", "edge-laplace", "edge-sobel", "exposure exposure=0.5", "invert-linear", "invert-gamma", "motion-blur-linear length=9 angle=30",
              "noise-reduction", "oilify", "pixelize size-x=8 size-y=8", "snn-mean", "threshold",
              "value-invert", "opacity value=0.4", "alien-map", "color-exchange", "noise-hsv", "red-eye-removal", "texturize-canvas"]

random.seed(1)
WIDTH, HEIGHT = 200, 150
picture = bytearray()
for y in range(HEIGHT):
    for x in range(WIDTH):
        spot = 255 if (x // 20 + y // 20) % 2 else 40
        picture += bytes([(x + spot) // 2 % 256, (y * 2 + random.randrange(20)) % 256, spot])
pathlib.Path("in.ppm").write_bytes(b"P6\n%d %d\n255\n" % (WIDTH, HEIGHT) + picture)


def pixels(file):
    data = pathlib.Path(file).read_bytes()
    return re.match(rb"P6\s+\d+\s+\d+\s+\d+\s", data).end(), data


# The command `gegl` switches OpenCL off, whatever the environment says: the library's bindings do not.
ONE = """
import sys, gi
gi.require_version("Gegl", "0.4")
from gi.repository import Gegl
Gegl.init(None)
source, file, name, *rest = sys.argv[1:]
root = Gegl.Node()
nodes = [root.create_child(kind) for kind in ["gegl:load", "gegl:" + name, "gegl:ppm-save"]]
nodes[0].set_property("path", source)
nodes[2].set_property("path", file)
nodes[2].set_property("bitdepth", 8)
for setting in rest:
    key, value = setting.split("=")
    kind = type(nodes[1].get_property(key))
    nodes[1].set_property(key, kind(float(value)) if kind is not str else value)
for one, two in zip(nodes, nodes[1:]):
    one.connect_to("output", two, "input")
nodes[2].process()
print("OpenCL is", Gegl.config().get_property("use-opencl"), [o for o in open("/proc/self/maps") if "oxicl" in o or "intelocl" in o][:1])
"""


def filtered(operation, opencl):
    file = f"out-{opencl}.ppm"
    pathlib.Path(file).unlink(missing_ok=True)
    environment = dict(os.environ, GEGL_USE_OPENCL=opencl)
    status, output = run("/usr/bin/python3", "-c", ONE, "in.ppm", file, *operation.split(), limit=100, env=environment)
    if status != 0 or not os.path.exists(file):
        raise ValueError(last(output))
    start, data = pixels(file)
    return data[start:], output


for operation in OPERATIONS:
    name = operation.split()[0]
    try:
        expected, _ = filtered(operation, "no")
    except ValueError:
        skipped(f"{name} (not in this version)")
        continue
    try:
        found, output = filtered(operation, "cpu")
    except ValueError as error:
        check(name, False, error)
        continue
    check(f"{name} with OpenCL in use", "OpenCL is True" in output, last(output))
    wrong = sum(abs(a - b) > 2 for a, b in zip(found, expected))
    check(name, len(found) == len(expected) and wrong <= len(expected) // 200, f"{wrong} of {len(expected)} bytes differ")
