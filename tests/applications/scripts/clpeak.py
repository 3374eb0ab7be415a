"""clpeak measures bandwidths, rates of arithmetic, and the latency of a launch."""

import re

from lines import check, last, run, speed

status, output = run("clpeak", limit=500)
group = ""
count = 0
for line in output.splitlines():
    if found := re.match(r"\s+(.+?)\s*\((GBPS|GFLOPS|GIOPS)\)\s*$", line):
        group = found[1]
    elif found := re.match(r"\s+(.+?)\s*:\s*([\d.]+)\s*(us)?\s*$", line):
        name, value = found[1], float(found[2])
        if "version" in name or "frequency" in name or "units" in name or value <= 0:
            continue
        count += 1
        print(f"pass {group} {name}")
        # What takes no time at all, mapping, cannot be compared.
        if found[3]:
            speed(name, value * 1e-6)
        elif value < 1e5:
            speed(f"{group}, {name}", 1 / value)
check("ends", status == 0 and count > 20, last(output))
