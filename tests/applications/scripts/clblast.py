"""CLBlast's own correctness tests, which compare with the host's BLAS; each program goes through all precisions."""

import re
import sys

from lines import failed, run

for routine in sys.argv[1:]:
    status, output = run(f"clblast_test_x{routine}", limit=300)
    output = re.sub(r"\x1b\[[0-9]*m", "", output)
    name = group = routine
    for line in output.splitlines():
        if found := re.search(r"Starting tests for the '(\w+)'", line):
            name = found[1]
        elif found := re.search(r"Testing (.*):$", line):
            group = f"{name} {found[1]}"
        elif found := re.search(r"Pass rate .*: (\d+) passed / (\d+) skipped / (\d+) failed", line):
            print(f"passed {found[1]}")
            print(f"skipped {found[2]}", flush=True)
            if found[3] != "0":
                failed(group, f"{found[3]} of its cases")
    if status != 0:
        failed(routine, "not done in time" if status is None else f"status {status}")
