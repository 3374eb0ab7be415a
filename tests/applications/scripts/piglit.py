"""Piglit's OpenCL tests: one program for each entry point, and kernels with the values that they have to give."""

import json
import pathlib
import re

from lines import check, failed, run, skipped

HOME = pathlib.Path("/usr/lib/x86_64-linux-gnu/piglit")


def report(test, status, output):
    results = [json.loads(line.split(": ", 1)[1]) for line in output.splitlines() if line.startswith("PIGLIT: {")]
    ends = [result["result"] for result in results if "result" in result]
    parts = {}
    for result in results:
        parts.update(result.get("subtest", {}))
    if not parts:
        parts = {"": ends[-1] if ends else f"status {status}"}
    for part, result in parts.items():
        name = f"{test} {part}".strip().replace(":", "")
        why = [line for line in output.splitlines() if re.search("(?i)error|expecting|fail|unexpected", line)]
        if result == "skip":
            skipped(name)
        else:
            check(name, result == "pass", why[0] if why else result)


programs = sorted((HOME / "bin").glob("cl-*"))
for program in programs:
    if program.name == "cl-program-tester":
        continue
    if "interop" in program.name:
        skipped(program.name)
        continue
    report(program.name, *run(program, limit=60, cwd=HOME))

# The templates that lie beside them are no tests. The generated ones are many of a kind: every tenth.
chosen = sorted((HOME / "tests/cl/program").rglob("*.cl"))
chosen += sorted((HOME / "generated_tests/cl").rglob("*.cl"))[::10]
for file in chosen:
    if "/*!" not in file.read_text(errors="replace"):
        continue
    status, output = run(HOME / "bin/cl-program-tester", file, limit=120, cwd=HOME)
    test = "/".join(file.with_suffix("").parts[-3:])
    if status is None:
        failed(test, "not done in time")
    else:
        report(test, status, output)
