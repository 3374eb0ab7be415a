#!/bin/sh
# Tries out the packages as a user would: test.sh FOLDER [PART...], where FOLDER has the packages and a part is wheel, deb,
# tarball, bill, which is all bills of materials and sums, or same, which makes the packages in another folder: they have to be
# equal, and it takes as long as a build does. Needs python3 with venv, pip's registry, an OpenCL loader with clinfo, and for
# deb: root, debootstrap.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- bill wheel deb tarball
place=$(mktemp -d)
trap 'rm -rf --one-file-system "$place"' EXIT
# Nothing of the machine's own settings or caches, but for Rust's.
unset OCL_ICD_VENDORS OCL_ICD_FILENAMES OPENCL_VENDOR_PATH OXICL_COMPILER
owner=$HOME
export HOME="$place/home"
mkdir "$HOME"

die() { echo "test.sh: $*" >&2; exit 1; }

# pip leaves the folders of data files behind, empty.
files() { find "$place/venv" ! -type d ! -name '*.pyc' | sort; }

bill() {
    (cd "$out" && sha256sum --check --strict SHA256SUMS) || die "SHA256SUMS"
    python3 -m venv "$place/validator"
    "$place/validator/bin/pip" --quiet --disable-pip-version-check install 'cyclonedx-python-lib[json-validation]'
    "$place/validator/bin/python" "$here/bill.py" "$out"/*.cdx.json "$out"/*.whl || die "a bill of materials"
    echo "bill: passed"
}

same() {
    git clone --quiet "$here/.." "$place/another"
    (cd "$place/another" && HOME="$owner" cargo xtask package) || die "a build in another folder"
    diff "$out/SHA256SUMS" "$place/another/target/package/out/SHA256SUMS" || die "packages follow from the folder"
    echo "same: passed"
}

wheel() {
    python3 -m venv "$place/venv"
    pip="$place/venv/bin/pip --quiet --disable-pip-version-check"
    $pip install pyopencl
    files > "$place/before"
    $pip install "$out"/oxicl-*.whl
    "$place/venv/bin/python" "$here/matrix.py" || die "the wheel with PyOpenCL"
    "$place/venv/bin/python" -m oxicl clinfo --list | grep oxicl || die "the wheel with the system's loader"
    # The script asserts that the platform is listed once.
    "$place/venv/bin/python" -m oxicl "$here/matrix.py" || die "a script by python -m oxicl"
    "$place/venv/bin/oxicl" run -- "$place/venv/bin/python" "$here/matrix.py" || die "a script by oxicl run"
    "$place/venv/bin/oxicl" info | grep 'OpenCL 3' || die "the command"
    for generated in man/man1/oxicl.1 bash-completion/completions/oxicl zsh/site-functions/_oxicl; do
        [ -s "$place/venv/share/$generated" ] || die "there is no $generated"
    done
    "$place/venv/bin/python" -c '
import oxicl, os
oxicl.enable(); once = dict(os.environ); oxicl.enable()
assert once == dict(os.environ), "enable() twice is not enable() once"
import pyopencl
names = [platform.name for platform in pyopencl.get_platforms()]
assert names.count("oxicl") == 1, names
' || die "enable()"
    # Without PyOpenCL, enable() tells Debian's loader, too, and hides nobody.
    mkdir "$place/others" && echo libother.so > "$place/others/other.icd"
    python3 -m venv "$place/bare"
    "$place/bare/bin/pip" --quiet --disable-pip-version-check install "$out"/oxicl-*.whl
    OCL_ICD_VENDORS="$place/others" "$place/bare/bin/python" -c '
import oxicl, os, subprocess
oxicl.enable()
names = sorted(os.listdir(os.environ["OCL_ICD_VENDORS"]))
assert names == ["other.icd", "oxicl.icd"], names
shown = subprocess.run(["clinfo", "--list"], stdout=subprocess.PIPE, text=True).stdout
assert shown.count("Platform") == shown.count("oxicl") - shown.count("(oxicl)") == 1, shown
print(os.environ["OCL_ICD_VENDORS"])
' > "$place/merged" || die "enable() beside another platform"
    [ ! -e "$(cat "$place/merged")" ] || die "enable() leaves its folder behind"
    $pip uninstall --yes oxicl
    files | diff "$place/before" - || die "the wheel leaves something behind"
    "$place/venv/bin/python" -c 'import oxicl' 2>/dev/null && die "oxicl is still there"
    echo "wheel: passed"
}

tarball() {
    mkdir "$place/one"
    tar -xf "$out"/oxicl-*.tar.xz -C "$place/one"
    "$place"/one/oxicl-*/oxicl-env clinfo --list | grep oxicl || die "the tarball"
    mv "$place/one" "$place/two"
    "$place"/two/oxicl-*/oxicl-env clinfo --list | grep oxicl || die "the tarball after a move"
    echo "tarball: passed"
}

# What of the package is in a system.
left_in() { find "$1/usr" "$1/etc" "$1/var/lib" -name '*oxicl*' ! -path '*/apt/*'; }

# A package with a later version, of another build: library and compiler name it. first.c says what has to become of whom.
later_deb() {
    dpkg-deb --raw-extract "$1" "$2"
    python3 - "$2" <<'END'
import pathlib, re, sys
root = pathlib.Path(sys.argv[1])
library = root / "usr/lib/x86_64-linux-gnu/oxicl"
build = re.search(rb"\+([0-9a-f]{12}) \(LLVM", __import__("subprocess").check_output([library / "oxicl-compiler", "--version"]))[1]
for name in ("liboxicl.so", "oxicl-compiler"):
    data = (library / name).read_bytes()
    assert build in data, name
    (library / name).write_bytes(data.replace(build, b"0123456789ab"))
control = root / "DEBIAN/control"
control.write_text(re.sub("(?m)^Version: .*", r"\g<0>+later", control.read_text()))
END
    dpkg-deb --root-owner-group -Znone --build "$2" "$2.deb"
}

deb() {
    lintian --fail-on error,warning "$out"/oxicl-icd_*.deb || die "lintian"
    system="$place/system"
    debootstrap --variant=minbase bookworm "$system" > "$place/log" || { tail "$place/log"; die "debootstrap"; }
    for file in /etc/resolv.conf /etc/hosts; do cp "$file" "$system$file"; done
    cp "$here/first.c" "$system/tmp/"
    cp "$out"/oxicl-icd_*.deb "$system/tmp/"
    later_deb "$out"/oxicl-icd_*.deb "$place/later" > "$place/log" || die "a later package"
    mv "$place/later.deb" "$system/tmp/later"
    cc -o "$system/tmp/first" "$here/first.c" -l:libOpenCL.so.1 -ldl
    mount --bind /proc "$system/proc"
    trap 'umount "$place/system/proc"; rm -rf --one-file-system "$place"' EXIT
    chroot "$system" env DEBIAN_FRONTEND=noninteractive sh -ec '
        apt-get --quiet --quiet update
        apt-get --quiet --quiet --yes --no-install-recommends install /tmp/oxicl-icd_*.deb clinfo > /tmp/log || { cat /tmp/log; exit 1; }
        clinfo --list
        oxicl doctor > /tmp/log || { cat /tmp/log; exit 1; }
        /tmp/first' || die "the Debian package"
    [ "$(chroot "$system" clinfo --list | grep -c '^Platform.*oxicl')" = 1 ] || die "clinfo does not list the platform once"
    # Who has built a program goes on, with library and compiler as they were, through an upgrade and a removal, and longer
    # than an idle compiler stays. Who has not is told to start again after the upgrade.
    chroot "$system" env OXICL_CACHE=off sh -ec '
        /tmp/first /tmp/go & busy=$!
        /tmp/first /tmp/late late > /tmp/told & late=$!
        sleep 3
        mv /tmp/later /tmp/later.deb
        dpkg --install /tmp/later.deb > /tmp/log
        oxicl info | grep 0123456789ab > /dev/null
        touch /tmp/late
        if wait $late; then echo "a library started the compiler of another build"; exit 1; fi
        grep "so restart the application" /tmp/told
        sleep 12
        dpkg --purge oxicl-icd > /tmp/log
        touch /tmp/go
        wait $busy' || die "an upgrade or removal"
    [ -z "$(left_in "$system")" ] || die "the package leaves something behind: $(left_in "$system")"
    umount "$system/proc"
    trap 'rm -rf --one-file-system "$place"' EXIT
    echo "deb: passed"
}

for part in "$@"; do "$part"; done
