"""hcxkeys computes keys of wireless networks on OpenCL, which have to be those of Python's hashlib."""

import hashlib
import pathlib

from lines import check, failed, last, run

NETWORKS = ["home", "a network", "0123456789abcdefghijklmnopqrstuv"]
WORDS = [f"password{number:04}" for number in range(600)] + ["12345678", "x" * 63, "with spaces in it"]

pathlib.Path("words").write_text("\n".join(WORDS) + "\n")
for network in NETWORKS:
    _, output = run("wlangenpmkocl", "-P", 0, "-D", 0, "-e", network, "-i", "words", "-A", "keys", limit=200)
    if not pathlib.Path("keys").exists():
        failed(network, last(output))
        continue
    found = dict(line.split(":", 1)[::-1] for line in pathlib.Path("keys").read_text().splitlines())
    wrong = [word for word in WORDS
             if found.get(word, "").lower() != hashlib.pbkdf2_hmac("sha1", word.encode(), network.encode(), 4096, 32).hex()]
    check(network, not wrong, f"{len(wrong)} of {len(WORDS)} keys are wrong: {wrong[:3]}; {last(output)}")
    pathlib.Path("keys").unlink()
