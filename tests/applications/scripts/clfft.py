"""clFFT's client transforms constants and looks whether the result is one number and zeros."""

import re

from lines import check, last, run

SIZES = [(1024, 1, 1), (4096, 1, 1), (3000, 1, 1), (2401, 1, 1), (65536, 1, 1), (256, 256, 1), (243, 125, 1), (32, 32, 32),
         (11, 1, 1), (13, 1, 1)]
WAYS = {"forward": [], "backward": ["--inv"], "planar": ["--inLayout", 2, "--outLayout", 2], "out of place": ["-o"]}

for number, size in enumerate(SIZES):
    for precision, option in {"single": [], "double": ["--double"]}.items():
        # Two of the four ways, in turns: each way meets each precision.
        for way, more in list(WAYS.items())[number % 2::2]:
            status, output = run("clFFT-client", "-x", size[0], "-y", size[1], "-z", size[2], *option, *more, limit=120)
            name = f"{'x'.join(str(n) for n in size if n > 1)} {precision} {way}"
            why = re.findall("error: .*|THROWERROR.*", output)
            check(name, status == 0 and "*****PASS*****" in output, why[0] if why else last(output))
