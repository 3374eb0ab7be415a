"""darktable builds all its programs, then develops a picture with OpenCL and without; the two have to look the same."""

import array
import os
import pathlib
import random
import re
import time

from lines import check, last, run, speed

CONFIGURATION = pathlib.Path(os.environ["XDG_CONFIG_HOME"]) / "darktable/darktablerc"
WIDTH, HEIGHT = 900, 600


def develop(result, *options):
    pathlib.Path(result).unlink(missing_ok=True)
    words = ["darktable-cli", "in.pfm", result, "--width", 500, "--height", 400, "--hq", 1, "--apply-custom-presets", 0,
             "--core", "--conf", "plugins/darkroom/workflow=scene-referred (filmic)", *options]
    start = time.perf_counter()
    status, output = run(*words, limit=300)
    return time.perf_counter() - start, output


def pixels(file):
    data = pathlib.Path(file).read_bytes()
    header = re.match(rb"PF\s+\d+\s+\d+\s+\S+\s", data)
    return array.array("f", data[header.end():])


random.seed(2)
values = array.array("f", (random.random() * (0.2 + x / WIDTH) * (0.5 + (y // 50) % 2) for y in range(HEIGHT) for x in range(WIDTH) for _ in range(3)))
pathlib.Path("in.pfm").write_bytes(b"PF\n%d %d\n-1.0\n" % (WIDTH, HEIGHT) + values.tobytes())

# The first start writes a line for the device, which switches it off as it is a CPU: the eighth of its numbers.
run("darktable-cltest", limit=100)
text, changed = re.subn(r"(?m)^(cldevice_v4_\w+=(?:\S+ ){7})1", r"\g<1>0", CONFIGURATION.read_text())
check("a device is seen, and is off", changed == 1, text[-200:])
CONFIGURATION.write_text(text)
status, output = run("darktable-cltest", limit=400)
print(output)
# A program that was built is kept.
for binary in sorted(set(re.findall(r"could not open file `(\S+\.cl\.bin)'", output))):
    check(f"builds {pathlib.Path(binary).name[:-7]}", pathlib.Path(binary).exists(), "there is no binary of it")
check("OpenCL is available", "opencl enabled flag is ON" in output, last(output))

host, output = develop("host.pfm", "--disable-opencl")
check("develops without", pathlib.Path("host.pfm").exists(), last(output))
_, output = develop("first.pfm", "-d", "opencl", "-d", "perf")
print(output)
on_device = len(re.findall(r"on GPU", output))
check("develops with OpenCL", pathlib.Path("first.pfm").exists() and on_device >= 3, f"{on_device} modules on the device")
if pathlib.Path("first.pfm").exists():
    found, expected = pixels("first.pfm"), pixels("host.pfm")
    wrong = sum(abs(a - b) > 0.01 for a, b in zip(found, expected))
    check("looks the same", len(found) == len(expected) and wrong < len(expected) // 500, f"{wrong} of {len(expected)} differ")
    speed("development", min(develop("again.pfm")[0] for _ in range(2)))
