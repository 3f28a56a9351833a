#!/usr/bin/env bash
# What scripts/setup installs on which release, with a stand-in for apt: which packages there are is said here.
# usage: tests/setup_test.sh SOURCE_FOLDER
set -euo pipefail
source=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/bin" "$work/root/etc" "$work/root/usr"
fail() {
  echo "setup_test: $*" >&2
  exit 1
}
stub() { # name, script
  printf '#!/bin/sh\n%s\n' "$2" >"$work/bin/$1"
  chmod +x "$work/bin/$1"
}
# Installs what it is told to; has what stands in `absent` not; nothing was installed before.
stub apt-get 'case " $* " in *" update "*) [ -z "$STAND_IN_NETWORK" ] || { echo "W: $STAND_IN_NETWORK" >&2; exit 100; } ;; esac
case " $* " in *" install "*) shift; for word; do case $word in install|-*|*=*) ;; *) echo "$word" >>"$STAND_IN/installed" ;; esac; done ;; esac'
stub apt-cache 'if grep -qx "$2" "$STAND_IN/absent"; then echo "  Candidate: (none)"; else echo "  Candidate: 1.0-1"; fi'
stub dpkg-query 'exit 1'
stub sudo 'exec "$@"'
stub python3 '[ -n "$STAND_IN_TORCH" ] && echo "$STAND_IN_TORCH"'
stub uname 'echo "$STAND_IN_MACHINE"'
export STAND_IN=$work STAND_IN_NETWORK='' STAND_IN_TORCH='' STAND_IN_MACHINE=x86_64

code=0
setup() { # os-release's ID, VERSION_ID, options of scripts/setup
  printf 'ID=%s\nVERSION_ID="%s"\n' "$1" "$2" >"$work/root/etc/os-release"
  shift 2
  rm -f "$work/installed"
  touch "$work/installed"
  code=0
  env -u Torch_DIR -u FLYBALL_TOML PATH="${path:-$work/bin:/usr/bin:/bin}" FLYBALL_ROOT="$work/root" ${toml:+FLYBALL_TOML="$toml"} \
    "$source/scripts/setup" "$@" >"$work/said" 2>&1 || code=$?
}
toml=''
exits() { [ $code = "$1" ] || fail "exit code $code, not $1: $(cat "$work/said")"; }
says() { grep -qF -- "$1" "$work/said" || fail "does not say '$1' but: $(cat "$work/said")"; }
installs() { for package; do grep -qx "$package" "$work/installed" || fail "$package is not installed: $(tr '\n' ' ' <"$work/installed")"; done; }
omits() { for package; do ! grep -qx "$package" "$work/installed" || fail "$package is installed"; done; }

# Debian 12, whose names these are.
: >"$work/absent"
setup debian 12 --program
exits 0
installs g++ cmake libtomlplusplus-dev libjpeg62-turbo-dev libtorch-dev
omits libgtest-dev python3-build
setup debian 12 --program --release
installs python3-build python3-wheel mmdebstrap uidmap

# Ubuntu 24.04 (JetPack 7).
printf '%s\n' libjpeg62-turbo-dev chromium clang-tidy-16 >"$work/absent"
setup ubuntu 24.04 --program
exits 0
installs libjpeg-turbo8-dev libtomlplusplus-dev
omits libjpeg62-turbo-dev
# A package that a release has not: what is needed stops, the rest is said.
printf '%s\n' libonnx-dev libtorch-dev >"$work/absent"
setup ubuntu 24.04 --program
exits 0
says 'ubuntu 24.04 has no libonnx-dev: no describe onnx:FILE'
says 'has no libtorch-dev: only -DFLYBALL_TORCH=OFF builds'
omits libonnx-dev libtorch-dev
installs libprotobuf-dev
printf 'libfmt-dev\nlibcli11-dev\n' >"$work/absent"
setup ubuntu 24.04 --program
exits 2
says 'has no libfmt-dev (messages and tables)'
says 'has no libcli11-dev (command line)'
[ ! -s "$work/installed" ] || fail "installs where something is lacking: $(cat "$work/installed")"

# Ubuntu 22.04 (JetPack 6) has no toml++.
printf '%s\n' libtomlplusplus-dev libjpeg62-turbo-dev chromium clang-tidy-16 >"$work/absent"
setup ubuntu 22.04 --program
exits 2
says 'ubuntu 22.04 has no libtomlplusplus-dev'
says 'the static program needs none of this'
says 'dpkg-deb -x libtomlplusplus-dev_'
[ ! -s "$work/installed" ] || fail "installs what cannot be built with: $(cat "$work/installed")"
mkdir -p "$work/toml/toml++"
touch "$work/toml/toml++/toml.h"
toml=$work/toml
setup ubuntu 22.04 --program
exits 0
installs g++ libjpeg-turbo8-dev
omits libtomlplusplus-dev
toml=''
mkdir -p "$work/root/usr/local/include" && cp -r "$work/toml/toml++" "$work/root/usr/local/include/"
setup ubuntu 22.04 --program
exits 0

# Older ones have no compiler.
: >"$work/absent"
for old in 'ubuntu 20.04' 'ubuntu 18.04' 'debian 11'; do
  setup ${old% *} "${old#* }"
  exits 2
  says "Flyball cannot be built on $old"
  says 'its static program runs there'
  [ ! -s "$work/installed" ] || fail "installs on $old"
done

# A container of a Jetson, with NVIDIA's torch and without etc/nv_tegra_release.
STAND_IN_MACHINE=aarch64 STAND_IN_TORCH='2.7.0 12.6 True /nv/torch' setup ubuntu 24.04 --program
exits 0
says 'LibTorch: /nv/torch'
omits libtorch-dev
# Of the old ABI: loudly.
STAND_IN_MACHINE=aarch64 STAND_IN_TORCH='2.3.0 12.4 False /nv/torch' setup ubuntu 24.04 --program
says 'NO LIBTORCH WITH CUDA WAS FOUND'
# A torch without CUDA is no NVIDIA's.
STAND_IN_MACHINE=aarch64 STAND_IN_TORCH='2.7.0 None True /pip/torch' setup ubuntu 24.04 --program
installs libtorch-dev

# Without a network: what fails is said, not that the distribution lacks what is not known of it.
printf '%s\n' libfmt-dev libonnx-dev >"$work/absent"
STAND_IN_NETWORK="Failed to fetch http://nowhere/" setup debian 12 --program
exits 2
says 'apt-get update failed, so that it is not known what debian 12 has: W: Failed to fetch http://nowhere/'
! grep -q 'has no' "$work/said" || fail "blames the distribution: $(cat "$work/said")"
# What apt knows from before suffices.
: >"$work/absent"
STAND_IN_NETWORK="Failed to fetch http://nowhere/" setup debian 12 --program
exits 0
installs g++

# Fuzzers want a clang of that name.
setup debian 12 --all
installs clang-14
omits clang

# A user without sudo, on a machine without Node: what is missing is listed, and what is there suffices.
mkdir -p "$work/tools"
for tool in bash sh env awk sed grep cat head tr mktemp mkdir dirname; do ln -sf "$(command -v $tool)" "$work/tools/$tool"; done
stub id 'echo 1000'
mv "$work/bin/sudo" "$work/sudo"
path=$work/bin:$work/tools
setup debian 12
exits 2
says 'setup: missing packages: g++'
says 'HINT: run this as root, or install them by hand'
stub dpkg-query 'echo install ok installed'
stub apt-cache 'case $2 in nodejs) echo "  Candidate: 12.0-1" ;; esac'
setup debian 12
exits 0
says 'Node here is 12.0-1'
says 'everything is installed'
echo "setup_test: every release gets what it has"
