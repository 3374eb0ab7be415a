"""A plugin of pytest that prints a line for each test, beside what pytest prints itself."""

import os
import re

# Plugins of the command line are loaded before pytest takes the standard output away.
OUTPUT = os.dup(1)


def say(line):
    os.write(OUTPUT, ("\n" + line + "\n").encode())


def pytest_runtest_logreport(report):
    # Names of devices would tell the drivers apart.
    test = re.sub(r"<context factory for .*?>>", "context", report.nodeid.split("site-packages/")[-1])
    expected = hasattr(report, "wasxfail")
    if report.failed:
        why = getattr(getattr(report.longrepr, "reprcrash", None), "message", str(report.longrepr))
        say(f"fail {test}: {' '.join(why.split())[:300]}")
    elif report.skipped and not expected:
        say(f"skip {test}")
    elif report.when == "call":
        say(f"skip {test}" if expected else f"pass {test}")


def pytest_collectreport(report):
    if report.failed:
        say(f"fail {report.nodeid or 'collection'}: {' '.join(str(report.longrepr).split())[-300:]}")
    elif report.skipped and report.nodeid.endswith(".py"):
        say(f"skip {report.nodeid}")
