"""Leela Zero rates positions of Go with a network of random weights, by OpenCL and by its own code for CPUs."""

import pathlib
import random
import re

from lines import check, last, run, speed

FILTERS, BLOCKS = 32, 3
BLOCKING = ("-DKWG=16 -DKWI=2 -DMDIMA=8 -DMDIMC=8 -DMWG=32 -DNDIMB=8 -DNDIMC=8 -DNWG=32 -DSA=1 -DSB=1 -DSTRM=0 -DSTRN=0 -DTCE=0 "
            "-DVWM=4 -DVWN=4")
LEELAZ = "/usr/games/leelaz"
POSITIONS = [["Q16"], ["D4", "Q4"], ["C3", "R17", "K10", "E16", "O3"], ["Q4", "D17", "R15", "F3", "C6", "O17", "J4", "K16", "R9"]]


def network(file):
    """The format's first version: a line each for the weights, biases, means and variances of every layer."""
    numbers = random.Random(11)

    def line(count, spread, middle=0.0):
        return " ".join(f"{numbers.gauss(middle, spread):.5f}" for _ in range(count))

    def layer(inputs, outputs, size):
        variances = " ".join(f"{numbers.uniform(0.5, 1.5):.5f}" for _ in range(outputs))
        return [line(inputs * outputs * size, (2 / inputs / size) ** 0.5), line(outputs, 0.05), line(outputs, 0.1), variances]

    lines = ["1"] + layer(18, FILTERS, 9)
    for _ in range(2 * BLOCKS):
        lines += layer(FILTERS, FILTERS, 9)
    lines += layer(FILTERS, 2, 1) + [line(362 * 722, 0.03), line(362, 0.1)]
    lines += layer(FILTERS, 1, 1) + [line(256 * 361, 0.03), line(256, 0.1), line(256, 0.1), line(1, 0.1)]
    pathlib.Path(file).write_text("\n".join(lines) + "\n")


def rate(*options):
    """What the network says of each position: 361 places, passing, and who wins."""
    commands = []
    for moves in POSITIONS:
        commands += ["clear_board"] + [f"play {'bw'[turn % 2]} {move}" for turn, move in enumerate(moves)] + ["heatmap"]
    pathlib.Path("commands").write_text("\n".join(commands + ["quit"]) + "\n")
    command = f"{LEELAZ} --gtp --noponder -w network.txt -t 1 {' '.join(options)} < commands"
    _, output = run("sh", "-c", command, limit=300)
    maps = re.findall(r"((?:^ *(?:\d+ +){18}\d+ *\n){19})pass: (\d+)\s*\nwinrate: ([\d.]+)", output, re.MULTILINE)
    return [([int(word) for word in board.split()] + [int(one)], float(winner)) for board, one, winner in maps], output


def tune():
    """Sets the shape of the matrix product's blocks, which it would look for among hundreds otherwise."""
    _, said = run("timeout", 10, LEELAZ, "--gtp", "-w", "network.txt", "--gpu", 0, "--precision", "single")
    device = [re.search(rf"^Device {what}: +(.*?)$", said, re.MULTILINE)[1] for what in ("vendor", "name", "speed")]
    file = pathlib.Path.home() / ".local/share/leela-zero/leelaz_opencl_tuning"
    file.parent.mkdir(parents=True, exist_ok=True)
    name = "OpenCL: {} {} @ {}MHz".format(device[0], device[1], device[2].split()[0])
    kinds = [f"1;{kind};{FILTERS};25;{FILTERS};36; {BLOCKING};{name}\n" for kind in ("XgemmBatched", "XgemmBatchedHalf")]
    file.write_text("".join(kinds))


network("network.txt")
tune()
host, said = rate("--cpu-only")
check("rates without OpenCL", len(host) == len(POSITIONS) and all(max(places) > 4 for places, _ in host), last(said))
for precision in ("single", "half"):
    # Its own programs for OpenCL are a few thousandths off in single precision, too.
    found, said = rate("--gpu", "0", "--precision", precision)
    print(said)
    check(f"{precision} rates all positions", len(found) == len(POSITIONS), last(said))
    for position, (a, b) in enumerate(zip(host, found), 1):
        worst = max(abs(x - y) for x, y in zip(a[0], b[0]))
        wins = abs(a[1] - b[1])
        check(f"{precision} position {position}", worst <= 10 and wins <= 0.03, f"{worst} in a thousand, {wins} of winning")
OPTIONS = ["-p", 400, "-v", 400, "-t", 1, "-s", 1, "-m", 0, "--gpu", 0, "--precision", "single"]
_, said = run(LEELAZ, "--benchmark", "--noponder", "-w", "network.txt", *OPTIONS, limit=200)
rates = re.findall(r"(\d+) n/s", said)
check("plays", bool(rates), last(said))
if rates:
    speed("playout", 1 / int(rates[-1]))
