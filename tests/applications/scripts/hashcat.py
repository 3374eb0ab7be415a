"""hashcat finds the password of the example hash of each mode, and says how fast it tries passwords."""

import json
import pathlib
import re
import sys

from lines import check, last, run, skipped, speed

MODES = [0, 100, 400, 500, 1000, 1400, 1500, 1700, 1800, 2100, 3000, 3200, 4500, 5600, 6211, 7500, 8900, 9600, 11600, 13400,
         22000]
BENCHMARKS = [0, 100, 1400, 3000]
OPTIONS = ["--potfile-disable", "-D", "1"]


def example(mode):
    _, output = run("hashcat", "--hash-info", "--machine-readable", "-m", mode)
    fields = json.loads(output[output.index("{"):])[str(mode)]
    return fields["name"], fields["example_hash_format"], fields["example_hash"], fields["example_pass"]


def crack(mode):
    name, kind, digest, password = example(mode)
    test = f"{mode} {name}".replace(":", "")
    if kind != "plain" or not password or password == "N/A":
        skipped(test)
        return
    if found := re.fullmatch(r"\$HEX\[(.*)\]", password):
        password = bytes.fromhex(found[1]).decode("latin-1")
    pathlib.Path("hash").write_text(digest + "\n")
    words = ["wrong", "hashcat!", password, password.lower(), "other"]
    pathlib.Path("words").write_text("\n".join(words) + "\n", "latin-1")
    _, output = run("hashcat", *OPTIONS, "-m", mode, "-a", 0, "--outfile", f"found{mode}", "hash", "words", limit=100)
    check(test, re.search(r"^Status\.+: Cracked", output, re.MULTILINE), last(output))


for mode in MODES:
    crack(mode)
for mode in BENCHMARKS:
    _, output = run("hashcat", *OPTIONS, "-b", "--machine-readable", "-m", mode, limit=60)
    found = re.search(rf"^\d+:{mode}:.*:(\d+)\s*$", output, re.MULTILINE)
    check(f"benchmark {mode}", found and int(found[1]) > 0, last(output))
    if found and int(found[1]):
        speed(f"mode {mode}", 1e6 / int(found[1]))
sys.exit(0)
