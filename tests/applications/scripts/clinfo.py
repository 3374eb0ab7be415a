"""clinfo asks for every property that it knows; errors are shown in the place of values."""

import re

from lines import check, failed, run

status, output = run("clinfo", "--raw", limit=50)
check("ends", status == 0, status)
for line in output.splitlines():
    if found := re.match(r"(?:\[\S+\])?\s*(CL_\w+)\s+(.*)$", line):
        # What a device without the extension is not asked for is said in brackets of the right form.
        check(found[1], not re.search(r"CL_(INVALID|OUT_OF|BUILD)\w+|error -?\d+", found[2]), found[2])
status, output = run("clinfo", "-l", limit=50)
check("lists one device", status == 0 and len(re.findall("Device #", output)) == 1, output)
if "Device #" not in output:
    failed("device", output)
