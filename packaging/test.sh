#!/bin/sh
# Tries out the packages as a user would: test.sh FOLDER [PART...], where FOLDER has the packages and a part is wheel, deb or
# tarball. Needs python3 with venv, pip's registry, an OpenCL loader with clinfo, and for deb: root, debootstrap.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- wheel deb tarball
place=$(mktemp -d)
trap 'rm -rf --one-file-system "$place"' EXIT
# Nothing of the machine's own settings or caches.
unset OCL_ICD_VENDORS OCL_ICD_FILENAMES OPENCL_VENDOR_PATH OXICL_COMPILER
export HOME="$place/home"
mkdir "$HOME"

die() { echo "test.sh: $*" >&2; exit 1; }

# pip leaves the folders of data files behind, empty.
files() { find "$place/venv" ! -type d ! -name '*.pyc' | sort; }

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

deb() {
    lintian --fail-on error "$out"/oxicl-icd_*.deb || die "lintian"
    system="$place/system"
    debootstrap --variant=minbase --include=clinfo,ocl-icd-libopencl1 bookworm "$system" > "$place/log" || die "debootstrap"
    cp "$out"/oxicl-icd_*.deb "$here/first.c" "$system/tmp/"
    cc -o "$system/tmp/first" "$here/first.c" -l:libOpenCL.so.1 -ldl
    mount --bind /proc "$system/proc"
    trap 'umount "$place/system/proc"; rm -rf --one-file-system "$place"' EXIT
    chroot "$system" sh -c 'dpkg --install /tmp/*.deb && clinfo --list && /tmp/first' || die "the Debian package"
    # Who runs goes on while the package is upgraded, and when it is removed.
    chroot "$system" env OXICL_CACHE=off sh -ec '/tmp/first /tmp/go & pid=$!; sleep 3
        dpkg --install /tmp/*.deb; dpkg --purge oxicl-icd; touch /tmp/go; wait $pid' || die "an upgrade or removal"
    [ -z "$(find "$system/usr" "$system/etc" -name '*oxicl*' ! -path '*/dpkg/*')" ] || die "the package leaves something behind"
    umount "$system/proc"
    trap 'rm -rf --one-file-system "$place"' EXIT
    echo "deb: passed"
}

for part in "$@"; do "$part"; done
