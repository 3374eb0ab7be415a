"""hashcat finds the password of the example hash of each mode (`crack`), and says how fast it tries passwords (`measure`)."""

import json
import pathlib
import re
import resource
import sys

from lines import check, last, run, skipped, speed

# Modes that are in use most; of the others, one in so many.
MODES = {0, 100, 400, 500, 1000, 1400, 1500, 1700, 1800, 2100, 3000, 3200, 4500, 5600, 6211, 7500, 8900, 9600, 11600, 13400,
         22000}
ONE_IN = 10
BENCHMARKS = [0, 100, 1000, 1400, 1700, 3000]
OPTIONS = ["--potfile-disable", "-D", "1"]


def crack(mode, fields):
    test = f"{mode} {fields['name']}".replace(":", "")
    password = fields["example_pass"]
    if fields["example_hash_format"] != "plain" or not password or password == "N/A":
        skipped(test)
        return
    if found := re.fullmatch(r"\$HEX\[(.*)\]", password):
        password = bytes.fromhex(found[1]).decode("latin-1")
    pathlib.Path("hash").write_text(fields["example_hash"] + "\n")
    words = ["wrong", "hashcat!", password, password.lower(), "other"]
    pathlib.Path("words").write_text("\n".join(words) + "\n", "latin-1")
    _, output = run("hashcat", *OPTIONS, "-m", mode, "-a", 0, "--outfile", f"found{mode}", "hash", "words", limit=100)
    check(test, re.search(r"^Status\.+: Cracked", output, re.MULTILINE), last(output))


def tried(mode, digest, seconds):
    """How many passwords are tried, and the processor time of it: other programs take less of that than of the clock's."""
    pathlib.Path("hash").write_text(digest + "\n")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    _, output = run("hashcat", *OPTIONS, "-m", mode, "-a", 3, "-O", "-w", 3, "--status", "--status-json", "--status-timer", 600,
                    "--self-test-disable", "--runtime", seconds, "hash", "?b?b?b?b?b?b?b", limit=100)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    states = [line for line in output.splitlines() if line.startswith("{")]
    count = json.loads(states[-1])["progress"][0] if states else 0
    return count, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, last(output)


def measure(mode, digest):
    # One that nothing hashes to, as far as anyone knows.
    digest = re.sub(r"^[0-9a-f]{8}", "deadbeef", digest)
    tried(mode, digest, 2)
    start = tried(mode, digest, 2)
    end = tried(mode, digest, 12)
    check(f"benchmark {mode}", end[0] > start[0], end[2])
    if end[0] > start[0]:
        speed(f"mode {mode}", (end[1] - start[1]) / (end[0] - start[0]) * 1e6)


_, output = run("hashcat", "--hash-info", "--machine-readable")
modes = {int(mode): fields for mode, fields in json.loads(output[output.index("{"):]).items()}
if "crack" in sys.argv:
    others = sorted(set(modes) - MODES)[::ONE_IN]
    for mode in sorted(MODES | set(others)):
        crack(mode, modes[mode])
if "measure" in sys.argv:
    for mode in BENCHMARKS:
        measure(mode, modes[mode]["example_hash"])
sys.exit(0)
