"""What the scripts of this folder print with: a line for each test, which the runner reads."""

import subprocess
import time
import traceback


def passed(test):
    print(f"pass {test}", flush=True)


def failed(test, why):
    print(f"fail {test}: {' '.join(str(why).split())[:300]}", flush=True)


def skipped(test):
    print(f"skip {test}", flush=True)


def speed(name, seconds):
    print(f"speed {name} {seconds:.9f}", flush=True)


def check(test, is_right, why="wrong result"):
    if is_right:
        passed(test)
    else:
        failed(test, why)


def attempt(test, function):
    """A test that fails by raising an exception."""
    try:
        function()
    except Exception as error:
        traceback.print_exc()
        failed(test, f"{type(error).__name__}: {error}")
    else:
        passed(test)


def best(function, times=7):
    """The shortest of several times, in seconds."""
    shortest = float("inf")
    for _ in range(times):
        start = time.perf_counter()
        function()
        shortest = min(shortest, time.perf_counter() - start)
    return shortest


def run(*command, limit=600, **options):
    """The status and the whole output of a program; the status is None if it did not end in time."""
    try:
        done = subprocess.run(
            [str(word) for word in command], timeout=limit, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    except subprocess.TimeoutExpired as error:
        return None, (error.stdout or b"").decode(errors="replace")
    return done.returncode, done.stdout.decode(errors="replace")


def last(output):
    """The last line of an output that says anything."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return lines[-1] if lines else "no output"
