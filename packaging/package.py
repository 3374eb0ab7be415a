"""Makes packages of what is built: ``package.py FORMAT... --built FOLDER --out FOLDER --version VERSION``.

The same files give the same bytes: entries are sorted and have the time of SOURCE_DATE_EPOCH.
"""

import argparse
import base64
import hashlib
import io
import lzma
import gzip
import os
import re
import shutil
import subprocess
import tarfile
import tempfile
import time
import zipfile
from pathlib import Path

import inside

ROOT = Path(__file__).resolve().parent.parent
EPOCH = int(os.environ["SOURCE_DATE_EPOCH"])
# What lies side by side, as the library looks for its compiler where it is itself.
FILES = ("liboxicl.so", "oxicl-compiler", "oxicl-validate", "oxicl")
# What the command prints of itself, and where shells and man look for that below a prefix.
GENERATED = {
    "man": "share/man/man1/oxicl.1",
    "man-validate": "share/man/man1/oxicl-validate.1",
    "bash": "share/bash-completion/completions/oxicl",
    "fish": "share/fish/vendor_completions.d/oxicl.fish",
    "zsh": "share/zsh/site-functions/_oxicl",
}
# Debian's own variables name who builds a package; these are the project's.
MAINTAINER = ("oxicl developers", "oxicl@users.noreply.github.com")
SUMMARY = "OpenCL platform for CPUs"


class Contents:
    """What every format packs."""

    def __init__(self, built, version):
        self.version = version
        self.binaries = {name: (built / name).read_bytes() for name in FILES}
        command = built / "oxicl"
        self.share = {
            path: subprocess.run([command, "generate", what], check=True, stdout=subprocess.PIPE).stdout
            for what, path in GENERATED.items()
        }
        self.licences = inside.licences(ROOT)
        self.bill = inside.bill(version, EPOCH).encode()
        self.llvm = inside.llvm_version()
        self.glibc = needed_glibc(built / name for name in self.binaries)

    def describe(self):
        """What the packages say of themselves."""
        return (
            "OpenCL 3.1 on the processor: takes OpenCL C and SPIR-V, and runs\nkernels on every core. "
            f"The compiler has LLVM and clang {self.llvm}\ninside, and runs in a process of its own."
        )


def needed_glibc(paths):
    """The newest version of the C library that a file asks for; from 2.34 on, which is what the archives ask for."""
    newest = (2, 34)
    for path in paths:
        table = subprocess.run(["objdump", "-T", path], check=True, stdout=subprocess.PIPE, text=True).stdout
        for minor in re.findall(r"\(?GLIBC_2\.(\d+)", table):
            newest = max(newest, (2, int(minor)))
    return newest


def wheel(contents, out):
    """A wheel: a zip archive whose RECORD has a hash of every other file."""
    tag = "py3-none-manylinux_{}_{}_x86_64".format(*contents.glibc)
    info = f"oxicl-{contents.version}.dist-info"
    # `oxicl validate` is the validator, too, and nobody's path leads into this folder.
    files = {f"oxicl/lib/{name}": data for name, data in contents.binaries.items() if name != "oxicl-validate"}
    for path in sorted((ROOT / "packaging/python/oxicl").glob("*.py")):
        files[f"oxicl/{path.name}"] = path.read_bytes()
    # Rewritten with an absolute path on first use; listed here, it goes when the package goes.
    files["oxicl/vendors/oxicl.icd"] = b"liboxicl.so\n"
    # The loader inside PyOpenCL's wheel reads this folder of its own too. The dynamic linker puts the loader's folder for
    # $ORIGIN.
    files["pyopencl/.libs/oxicl.icd"] = b"$ORIGIN/../../oxicl/lib/liboxicl.so\n"
    # Without the page of a command that is not there.
    share = {path: data for path, data in contents.share.items() if "oxicl-validate" not in path}
    files.update({f"oxicl-{contents.version}.data/data/{path}": data for path, data in share.items()})
    files[f"{info}/entry_points.txt"] = b"[console_scripts]\noxicl = oxicl.__main__:command\n"
    for name, data in contents.licences.items():
        files[f"{info}/licenses/{name}"] = data
    files[f"{info}/sboms/oxicl.cdx.json"] = contents.bill
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: oxicl\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    files[f"{info}/METADATA"] = (
        f"Metadata-Version: 2.1\nName: oxicl\nVersion: {contents.version}\nSummary: {SUMMARY}\nLicense: Apache-2.0\n"
        f"Requires-Python: >=3.8\nDescription-Content-Type: text/plain\n\n{contents.describe()}\n"
    ).encode()
    record = ""
    for name in sorted(files):
        digest = base64.urlsafe_b64encode(hashlib.sha256(files[name]).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(files[name])}\n"
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    path = out / f"oxicl-{contents.version}-{tag}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in sorted(files, key=lambda name: (name.startswith(info), name)):
            entry = zipfile.ZipInfo(name, time.gmtime(EPOCH)[:6])
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            entry.external_attr = (0o100755 if name.startswith("oxicl/lib/") else 0o100644) << 16
            archive.writestr(entry, files[name])
    return path


def tarball(contents, out):
    """A folder that runs from wherever it is unpacked."""
    top = f"oxicl-{contents.version}-x86_64-linux"
    files = {f"lib/{name}": data for name, data in contents.binaries.items()}
    files.update(contents.share)
    files["oxicl-env"] = (ROOT / "packaging/oxicl-env").read_bytes()
    files["README"] = (
        contents.describe() + "\n\n"
        "oxicl-env PROGRAM ARGUMENT...   runs a program that sees this platform\n"
        "oxicl-env                       prints a value for OCL_ICD_VENDORS\n\n"
        "It needs glibc {}.{} or later, and nothing else.\n".format(*contents.glibc)
    ).encode()
    files["sbom.cdx.json"] = contents.bill
    files.update({f"licenses/{name}": data for name, data in contents.licences.items()})
    path = out / f"{top}.tar.xz"
    with lzma.open(path, "wb", preset=6) as packed, tarfile.open(fileobj=packed, mode="w") as archive:
        for name in sorted(files):
            entry = tarfile.TarInfo(f"{top}/{name}")
            entry.size, entry.mtime = len(files[name]), EPOCH
            entry.mode = 0o755 if name.startswith("lib/") or name == "oxicl-env" else 0o644
            archive.addfile(entry, io.BytesIO(files[name]))
    return path


def deb(contents, out):
    """A Debian package, by dpkg-deb, which takes its times from SOURCE_DATE_EPOCH."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        root.chmod(0o755)
        fill_deb(contents, root)
        path = out / f"oxicl-icd_{contents.version}_amd64.deb"
        for item in sorted(root.rglob("*")):
            if not item.is_symlink():
                item.chmod(0o755 if item.is_dir() or (item.parent.name == "oxicl" and item.suffix != ".so") else 0o644)
            os.utime(item, (EPOCH, EPOCH), follow_symlinks=False)
        subprocess.run(["dpkg-deb", "--root-owner-group", "-Zxz", "--build", root, path], check=True, stdout=subprocess.DEVNULL)
    return path


def fill_deb(contents, root):
    """Writes the files of the Debian package, and what the package says of itself."""
    library = "/usr/lib/x86_64-linux-gnu/oxicl"
    documents = "usr/share/doc/oxicl-icd"
    when = time.strftime("%a, %d %b %Y %H:%M:%S +0000", time.gmtime(EPOCH))
    maintainer = "{} <{}>".format(os.environ.get("DEBFULLNAME", MAINTAINER[0]), os.environ.get("DEBEMAIL", MAINTAINER[1]))
    changes = f"oxicl-icd ({contents.version}) unstable; urgency=medium\n\n  * This version.\n\n -- {maintainer}  {when}\n"
    # Debian has the text of our own licence in one place for all packages.
    own = "oxicl is under the Apache License 2.0, which is in /usr/share/common-licenses/Apache-2.0.\n"
    own += "What else is inside, and its licences: licences.txt.gz in this folder.\n\nCopyright {} the oxicl developers.\n".format(time.gmtime(EPOCH).tm_year)
    licences = b"\n\n".join(f"==== {name} ====\n\n".encode() + data for name, data in sorted(contents.licences.items()))
    files = {f"{library[1:]}/{name}": data for name, data in contents.binaries.items()}
    files["etc/OpenCL/vendors/oxicl.icd"] = f"{library}/liboxicl.so\n".encode()
    files[f"{documents}/copyright"] = own.encode()
    files[f"{documents}/licences.txt.gz"] = gzip.compress(licences, 9, mtime=EPOCH)
    files[f"{documents}/changelog.gz"] = gzip.compress(changes.encode(), 9, mtime=EPOCH)
    files[f"{documents}/sbom.cdx.json"] = contents.bill
    for path, data in contents.share.items():
        # Debian has man's pages compressed, and a folder of its own for what packages complete in zsh.
        if "/man/" in path:
            path, data = f"{path}.gz", gzip.compress(data, 9, mtime=EPOCH)
        files["usr/" + path.replace("site-functions", "vendor-completions")] = data
    for name, data in files.items():
        write(root / name, data)
    (root / "usr/bin").mkdir()
    for name in contents.binaries:
        if name not in ("liboxicl.so", "oxicl-compiler"):
            (root / "usr/bin" / name).symlink_to(f"../lib/x86_64-linux-gnu/oxicl/{name}")
    size = sum(len(data) for data in files.values()) // 1024 + 1
    description = "\n ".join(contents.describe().splitlines())
    control = (
        f"Package: oxicl-icd\nVersion: {contents.version}\nArchitecture: amd64\nMaintainer: {maintainer}\n"
        f"Installed-Size: {size}\nDepends: libc6 (>= {contents.glibc[0]}.{contents.glibc[1]}), libgcc-s1\n"
        "Recommends: ocl-icd-libopencl1 | libopencl1\nProvides: opencl-icd\nSection: libs\nPriority: optional\n"
        f"Description: {SUMMARY}\n {description}\n"
    )
    sums = "".join(f"{hashlib.md5(data).hexdigest()}  {name}\n" for name, data in sorted(files.items()))
    write(root / "DEBIAN/control", control.encode())
    write(root / "DEBIAN/conffiles", b"/etc/OpenCL/vendors/oxicl.icd\n")
    write(root / "DEBIAN/md5sums", sums.encode())


def write(path, data):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def main():
    formats = {"wheel": wheel, "deb": deb, "tarball": tarball}
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("format", nargs="+", choices=formats)
    parser.add_argument("--built", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--version", required=True)
    options = parser.parse_args()
    shutil.rmtree(options.out, ignore_errors=True)
    options.out.mkdir(parents=True)
    contents = Contents(options.built, options.version)
    bill = options.out / f"oxicl-{options.version}.cdx.json"
    bill.write_bytes(contents.bill)
    sums = ""
    for path in (bill, *(formats[name](contents, options.out) for name in options.format)):
        data = path.read_bytes()
        sums += f"{hashlib.sha256(data).hexdigest()}  {path.name}\n"
        print(f"{path}  {len(data) / 1e6:.1f} MB", flush=True)
    (options.out / "SHA256SUMS").write_text(sums)


if __name__ == "__main__":
    main()
