"""What is inside the packages: a bill of materials, and the licence texts of it all."""

import json
import os
import subprocess
import time
from pathlib import Path

# What the packages are built from.
PACKAGES = ("oxicl", "oxicl-compiler", "oxicl-validate", "oxicl-cli")
# Archives of Debian's that are linked into the compiler: their package, with the name that users know it by.
ARCHIVES = {"llvm-22-dev": "LLVM", "libclang-22-dev": "clang", "libstdc++-12-dev": "libstdc++"}


def _output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def crates():
    """The crates of others in what is packaged, sorted: what only builds or tests need is not inside."""
    target = "x86_64-unknown-linux-gnu"
    metadata = json.loads(_output("cargo", "metadata", "--locked", "--format-version=1", f"--filter-platform={target}"))
    packages = {package["id"]: package for package in metadata["packages"]}
    needs = {node["id"]: node["deps"] for node in metadata["resolve"]["nodes"]}
    open_ids = [identity for identity, package in packages.items() if package["name"] in PACKAGES]
    seen = set()
    while open_ids:
        identity = open_ids.pop()
        if identity in seen:
            continue
        seen.add(identity)
        for need in needs[identity]:
            if any(kind["kind"] is None for kind in need["dep_kinds"]):
                open_ids.append(need["pkg"])
    found = (packages[identity] for identity in seen if packages[identity]["source"])
    return sorted(found, key=lambda package: (package["name"], package["version"]))


def archives():
    """Name, Debian package and version of what is linked from archives."""
    query = ("dpkg-query", "--show", "--showformat=${Version}")
    return [(name, package, _output(*query, package)) for package, name in ARCHIVES.items()]


def rust_version():
    """The version of the Rust compiler, which is that of its standard library."""
    return _output("rustc", "--version").split()[1]


def bill(version, epoch):
    """A bill of materials in CycloneDX's JSON, which ``bill.py`` holds against the schema."""
    components = [
        {
            "type": "library",
            "name": name,
            "version": found,
            "purl": f"pkg:deb/debian/{package}@{found}?arch=amd64",
            "licenses": [{"expression": "GPL-3.0-or-later WITH GCC-exception-3.1"}]
            if name == "libstdc++"
            else [{"expression": "Apache-2.0 WITH LLVM-exception"}],
        }
        for name, package, found in archives()
    ]
    # It is linked into each file.
    components.append(
        {
            "type": "library",
            "name": "Rust standard library",
            "version": rust_version(),
            "purl": f"pkg:github/rust-lang/rust@{rust_version()}",
            "licenses": [{"expression": "MIT OR Apache-2.0"}],
        }
    )
    for crate in crates():
        component = {
            "type": "library",
            "name": crate["name"],
            "version": crate["version"],
            "purl": f"pkg:cargo/{crate['name']}@{crate['version']}",
        }
        if crate["license"]:
            # Crates of old divide alternatives by a slash.
            component["licenses"] = [{"expression": crate["license"].replace("/", " OR ")}]
        components.append(component)
    own = {"type": "application", "name": "oxicl", "version": version, "licenses": [{"license": {"id": "Apache-2.0"}}]}
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(epoch)), "component": own},
        "components": components,
    }
    return json.dumps(document, indent=1) + "\n"


def licences(root):
    """Licence texts by the name of a file: our own, the archives', the Rust library's, and those of every crate."""
    texts = {"LICENSE": (root / "LICENSE").read_bytes()}
    for name, package, _ in archives():
        texts[f"third-party/{name}.txt"] = Path(f"/usr/share/doc/{package}/copyright").read_bytes()
    # The standard library is linked into each file.
    rust = Path(_output("rustc", "--print", "sysroot").strip(), "share/doc/rust/licenses")
    for name in ("Apache-2.0", "MIT"):
        texts[f"third-party/rust-{name}.txt"] = (rust / f"{name}.txt").read_bytes()
    for crate in crates():
        folder = Path(crate["manifest_path"]).parent
        words = ("license", "licence", "copying", "unlicense", "copyright", "notice")
        files = sorted(path for path in folder.iterdir() if path.name.lower().startswith(words) and path.is_file())
        files += sorted(folder.glob("jemalloc/COPYING"))
        label = f"{crate['name']} {crate['version']}, {crate['license']}\n"
        # A crate without a text of its own is under one that others' texts give.
        parts = [label.encode(), *(b"\n" + path.read_bytes() for path in files)]
        texts[f"third-party/{crate['name']}-{crate['version']}.txt"] = b"".join(parts)
    return texts


def llvm_version():
    """The version of LLVM that is linked."""
    prefix = os.environ.get("LLVM_SYS_221_PREFIX", "/usr/lib/llvm-22")
    return _output(f"{prefix}/bin/llvm-config", "--version").strip()
