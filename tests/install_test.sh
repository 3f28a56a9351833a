#!/usr/bin/env bash
# Is a build installed as docs/install.md says, and does what was installed run with its own module?
# usage: tests/install_test.sh BUILD_FOLDER TORCH      TORCH: 1 where the module was built
set -euo pipefail
work=$(realpath "$(mktemp -d)")
trap 'rm -rf "$work"' EXIT
fail() {
  echo "install_test: $*" >&2
  exit 1
}
cmake --install "$1" --prefix "$work/installed" >"$work/log" 2>&1 || fail "it is not installed: $(tail -n 5 "$work/log")"
told=$("$work/installed/bin/flyball" --version)
grep -q '^flyball [0-9.]*$' <<<"$told" || fail "--version says: $told"
if [ "$2" = 1 ]; then
  grep -q "^module  *$work/installed/" <<<"$told" || fail "the module is not that which was installed: $told"
  grep -q '^LibTorch  *[0-9]' <<<"$told" || fail "LibTorch is not found: $told"
fi
echo "installed, it runs: $(head -n 1 <<<"$told")"
