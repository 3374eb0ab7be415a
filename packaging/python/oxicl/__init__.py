"""An OpenCL platform for CPUs.

PyOpenCL finds it once both are installed. Other programs ask an OpenCL loader that has to be told where it is:
``enable()`` does that for this process and those that it starts, beside all other platforms; ``python -m oxicl PROGRAM
ARGUMENT...`` does it for one program, which sees no other platform, as the command ``oxicl run`` does.
"""

import atexit
import glob
import os
import shutil
import tempfile
from importlib.metadata import version

__all__ = ["command_path", "enable", "library_path", "vendors_path"]
__version__ = version("oxicl")

_HERE = os.path.dirname(os.path.abspath(__file__))
_SYSTEM = "/etc/OpenCL/vendors"


def library_path():
    """The absolute path of ``liboxicl.so``."""
    return os.path.join(_HERE, "lib", "liboxicl.so")


def command_path():
    """The absolute path of the command ``oxicl``."""
    return os.path.join(_HERE, "lib", "oxicl")


def vendors_path():
    """A folder with our ``.icd`` file and no other, a value for ``OCL_ICD_VENDORS``."""
    folder = os.path.join(_HERE, "vendors")
    try:
        _write(folder)
        return folder
    except OSError:
        # Installed for all users, by another: the folder lives as long as this process.
        return _temporary()


def enable():
    """Lets OpenCL loaders see this platform beside all that they see already, in this process and its children.

    Call it before the first use of OpenCL: a loader looks once. Calling it again changes nothing. Where PyOpenCL is
    installed with a loader inside, which sees the platform already and would list it twice, Debian's loader is not told:
    ``python -m oxicl PROGRAM`` does that for programs with it.
    """
    _tell_khronos()
    if not glob.glob(os.path.join(os.path.dirname(_HERE), "pyopencl", ".libs", "libOpenCL*")):
        _tell_ocl_icd()


def _tell_khronos():
    # Khronos' loader takes these beside its vendors.
    names = [name for name in os.environ.get("OCL_ICD_FILENAMES", "").split(":") if name]
    if library_path() not in names:
        os.environ["OCL_ICD_FILENAMES"] = ":".join([library_path(), *names])


def _tell_ocl_icd():
    # ocl-icd, Debian's loader, has one folder of vendors: ours has to hold the others, too.
    now = os.environ.get("OCL_ICD_VENDORS") or _SYSTEM
    if _names_us(now):
        return
    others = _others(now)
    os.environ["OCL_ICD_VENDORS"] = _temporary(others) if others else vendors_path()


def _names_us(vendors):
    try:
        with open(os.path.join(vendors, "oxicl.icd"), encoding="utf-8") as file:
            return file.read().strip() == library_path()
    except OSError:
        return False


def _others(vendors):
    """The other platforms of a value of OCL_ICD_VENDORS: each the name and the text of an ``.icd`` file."""
    if vendors.endswith(".icd"):
        files = [vendors]
    elif os.path.isdir(vendors):
        files = [os.path.join(vendors, name) for name in sorted(os.listdir(vendors)) if name.endswith(".icd")]
    else:
        # A library's own path or name.
        return {"other.icd": vendors + "\n"}
    found = {}
    for path in files:
        try:
            with open(path, encoding="utf-8") as file:
                found[os.path.basename(path)] = file.read()
        except OSError:
            continue
    # Another oxicl would be a second platform of the same name.
    found.pop("oxicl.icd", None)
    return found


def _temporary(others=None):
    folder = tempfile.mkdtemp(prefix="oxicl-vendors-")
    owner = os.getpid()
    # A forked child ends before us and still shares the folder.
    atexit.register(lambda: os.getpid() == owner and shutil.rmtree(folder, ignore_errors=True))
    for name, text in (others or {}).items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    _write(folder)
    return folder


def _write(folder):
    """Writes our ``.icd`` file, which needs an absolute path, unless it is there."""
    if _names_us(folder):
        return
    handle, new = tempfile.mkstemp(dir=folder)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(library_path() + "\n")
    os.chmod(new, 0o644)
    os.replace(new, os.path.join(folder, "oxicl.icd"))
