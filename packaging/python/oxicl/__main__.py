"""``python -m oxicl PROGRAM ARGUMENT...`` runs a program that sees this platform; without a program, says where it is."""

import subprocess
import sys

from . import _tell_khronos, _tell_ocl_icd, library_path, vendors_path, __version__


def main(arguments):
    if not arguments:
        print(f"oxicl {__version__}\nlibrary: {library_path()}\nvendors: {vendors_path()}")
        return 0
    _tell_khronos()
    _tell_ocl_icd()
    try:
        # A child, not this process itself: the folder made for it is removed when it is over.
        code = subprocess.call(arguments)
    except OSError as error:
        print(f"oxicl: cannot run {arguments[0]}: {error.strerror}", file=sys.stderr)
        return 127
    return code if code >= 0 else 128 - code


sys.exit(main(sys.argv[1:]))
