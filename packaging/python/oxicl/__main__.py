"""``python -m oxicl PROGRAM ARGUMENT...`` runs a program that sees this platform; without a program, says where it is."""

import os
import sys

from . import __version__, command_path, library_path, vendors_path


def main(arguments):
    if not arguments:
        print(f"oxicl {__version__}\nlibrary: {library_path()}\nvendors: {vendors_path()}")
        return
    if arguments[0].endswith(".py") and os.path.isfile(arguments[0]):
        arguments = [sys.executable, *arguments]
    _become(["run", "--", *arguments])


def command():
    """The command ``oxicl``."""
    _become(sys.argv[1:])


def _become(arguments):
    sys.stdout.flush()
    os.execv(command_path(), ["oxicl", *arguments])


if __name__ == "__main__":
    main(sys.argv[1:])
