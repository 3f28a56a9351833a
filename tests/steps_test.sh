#!/usr/bin/env bash
# Scripts that run others (scripts/test, quickstart, release), in a stand-in tree where the others are stand-ins.
# usage: tests/steps_test.sh SOURCE_FOLDER
set -euo pipefail
source=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GIT_CEILING_DIRECTORIES=$work STAND_IN=$work
unset SOURCE_DATE_EPOCH
fail() {
  echo "steps_test: $*" >&2
  exit 1
}
says() { grep -qF -- "$1" "$work/said" || fail "does not say '$1' but: $(cat "$work/said")"; }
omits() { ! grep -qF -- "$1" "$work/said" || fail "says '$1': $(cat "$work/said")"; }
runs() { (cd "$tree" && "$@") >"$work/said" 2>&1; }
stub() { # file, what it does beside being noted
  mkdir -p "$(dirname "$1")"
  printf '#!/usr/bin/env bash\necho "${0##*/} $*" >>"$STAND_IN/called"\n%s\n' "${2:-}" >"$1"
  chmod +x "$1"
}

# scripts/test --all: what a machine cannot is said to be left out, and is tried again; what passed is not.
tree=$work/tree
for each in setup build fuzz cross check-{format,names,rooms,headers,pages,tidy}; do stub "$tree/scripts/$each"; done
stub "$tree/scripts/check-metrics" 'exit 3'
stub "$tree/scripts/check-tidy" 'exit 1'
for each in "$tree/bench/run" "$tree/build/release/bin/server_test" "$tree/build/release/bin/tune_test" "$work/bin/ctest"; do stub "$each"; done
cp "$source/scripts/test" "$tree/scripts/"
echo build >"$tree/.gitignore"
git -C "$tree" init -q
export PATH="$work/bin:$PATH"
for _ in 1 2; do
  : >"$work/called"
  ! runs scripts/test --all || fail "a step that fails is not said"
  says 'test: left out here: metrics'
  says 'test: failed: clang-tidy'
  grep -q '^check-metrics' "$work/called" || fail "what was left out is not tried again"
done
! grep -q '^fuzz' "$work/called" || fail "what passed is tried again"
grep -q ' asan$' "$tree/build/passed" || fail "what passed is not noted"
! grep -q ' metrics$' "$tree/build/passed" || fail "what was left out is noted as passed"
! grep -q ' clang-tidy$' "$tree/build/passed" || fail "what failed is noted as passed"

# quickstart with and without a LibTorch.
cp "$source/scripts/quickstart" "$tree/scripts/"
stub "$tree/build/release/bin/flyball"
stub "$work/bin/python3" 'exit 1'
: >"$work/called"
stub "$tree/scripts/find-torch" 'echo none'
runs scripts/quickstart || fail "quickstart fails without LibTorch: $(cat "$work/said")"
says 'there is no LibTorch here, so LeNet-5 is not trained'
grep -qxF 'build release -DFLYBALL_TORCH=OFF flyball' "$work/called" || fail "it is built with LibTorch: $(cat "$work/called")"
! grep -q lenet5 "$work/called" || fail "LeNet-5 is trained"
stub "$tree/scripts/find-torch" 'echo package'
runs scripts/quickstart || fail "quickstart fails: $(cat "$work/said")"
grep -qxF 'build release -DFLYBALL_TORCH=ON flyball' "$work/called" || fail "it is built without LibTorch"
grep -q '^flyball tune lenet5' "$work/called" || fail "LeNet-5 is not trained"
rm "$work/bin/python3"

# scripts/release: without a date, and of a program that is another commit's. The tools of scripts/setup --release are needed.
/usr/bin/python3 -c 'import build.__main__, setuptools, wheel' 2>/dev/null && command -v dpkg-deb cpack readelf >/dev/null || {
  echo "scripts run others; release was not looked at: scripts/setup --release installs its tools"
  exit 0
}
tree=$work/release
mkdir -p "$tree/scripts" "$tree/cmake"
cp "$source/scripts/release" "$tree/scripts/"
cp "$source/cmake/commit.cmake" "$tree/cmake/"
echo 'project(flyball VERSION 0.1.0)' >"$tree/CMakeLists.txt"
! runs scripts/release --arch || fail "a release for no machine is made"
says "release: '' cannot be made here"
! runs scripts/release || fail "a release without a date is made"
says 'release: git knows no date of the last commit here'
printf '/build/\n/dist/\n' >"$tree/.gitignore"
stub "$tree/build/static/bin/flyball" 'echo "commit    0123456789ab"'
git -C "$tree" init -q
git -C "$tree" add .
git -C "$tree" -c user.name=t -c user.email=t@t commit -qm first
commit=$(git -C "$tree" rev-parse --short=12 HEAD)
# Without Python's package build, beside a folder of that name.
mkdir "$work/bare"
cat >"$work/bare/sitecustomize.py" <<'END'
import sys, types
sys.path = [folder for folder in sys.path if "-packages" not in folder]
sys.modules.update((name, types.ModuleType(name)) for name in ("setuptools", "wheel"))
END
! PYTHONPATH=$work/bare runs scripts/release --no-build || fail "a release without Python's build is made"
says "the distribution's Python lacks build, setuptools or wheel"
! runs scripts/release --no-build || fail "another commit's program is packed"
says "flyball is of commit 0123456789ab, and here is $commit"
stub "$tree/build/static/bin/flyball" "echo 'commit    $commit'"
echo '# later' >>"$tree/CMakeLists.txt"
! runs scripts/release --no-build || fail "a program is packed with documents that have changed"
says "flyball is of commit $commit, and here is $commit, changed"
# What another commit made is not summed up; what this one made for other machines stays.
git -C "$tree" checkout -q CMakeLists.txt
stub "$work/bin/cmake" '[ "$1" != --build ] && exec /usr/bin/cmake "$@"; exit 1'
mkdir -p "$tree/dist"
touch "$tree/dist/flyball_0.1.0-1_arm64.deb"
! runs scripts/release --no-build || fail "a release is made of nothing"
[ -f "$tree/dist/flyball_0.1.0-1_arm64.deb" ] || fail "files are removed before the program is looked at"
stub "$work/bin/readelf"
stub "$work/bin/cmake" '[ "$1" = --build ] || exec /usr/bin/cmake "$@"'
for _ in 1 2; do ! runs scripts/release --no-build || fail "a release is made of nothing"; done
[ ! -f "$tree/dist/flyball_0.1.0-1_arm64.deb" ] || fail "another commit's package stays: $(cat "$work/said")"
[ "$(cat "$tree/dist/COMMIT")" = "$commit" ] || fail "dist/COMMIT is not $commit"
touch "$tree/dist/flyball_0.1.0-1_arm64.deb"
! runs scripts/release --no-build || fail "a release is made of nothing"
[ -f "$tree/dist/flyball_0.1.0-1_arm64.deb" ] || fail "this commit's package for other machines is removed"
echo "scripts run others as they say"
