#!/usr/bin/env bash
# What the package's scripts do as it comes, is upgraded, and goes; systemd and the groups are stand-ins.
# usage: tests/maintainer_test.sh SOURCE_FOLDER
set -euo pipefail
source=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
  echo "maintainer_test: $*" >&2
  exit 1
}
export DPKG_ROOT=$work/root STAND_IN=$work
wants=$DPKG_ROOT/etc/systemd/system/sockets.target.wants
mkdir -p "$work/bin" "$DPKG_ROOT/run/systemd/system" "$DPKG_ROOT/run/flyball-measuring" "$DPKG_ROOT/run/flyball" "$wants"
touch "$wants/flyball-helper.socket" "$wants/flyball-metrics.socket" "$wants/another.socket" "$DPKG_ROOT/run/flyball/journal"
stub() { # name, what it does beside being noted
  printf '#!/bin/sh\necho "%s $*" >>"$STAND_IN/said"\n%s\n' "$1" "${2:-}" >"$work/bin/$1"
  chmod +x "$work/bin/$1"
}
stub systemctl 'exit 1'  # whatever systemd answers, the package is installed
stub systemd-tmpfiles 'exit 1'
stub getent '[ -f "$STAND_IN/group" ]'
stub groupadd 'touch "$STAND_IN/group"'
stub groupdel 'rm "$STAND_IN/group"'
run() { # script, its words: what it called, but questions
  : >"$work/said"
  PATH="$work/bin:$PATH" sh "$source/packaging/debian/$1" "${@:2}" >"$work/out" 2>&1 || fail "$* fails: $(cat "$work/out")"
  sed -i '/^getent/d' "$work/said"
}
calls() { diff <(printf '%s\n' "$@") "$work/said" >&2 || fail "other calls than expected (<)"; }
calls_nothing() { [ ! -s "$work/said" ] || fail "calls $(cat "$work/said")"; }

run postinst configure ''
calls 'groupadd --system flyball' 'systemd-tmpfiles --create flyball.conf' 'systemctl daemon-reload'
# An upgrade: the running metrics server becomes the new program; a helper goes on for its client.
for script in 'prerm upgrade 0.2.0-1' 'postrm upgrade 0.2.0-1'; do
  run $script
  calls_nothing
done
run postinst configure 0.1.0-1
calls 'systemd-tmpfiles --create flyball.conf' 'systemctl daemon-reload' 'systemctl try-restart flyball-metrics.service'
run prerm remove
calls 'systemctl disable --now flyball-helper.socket flyball-helper.service flyball-metrics.socket flyball-metrics.service'
run postrm remove
calls 'systemctl daemon-reload'
[ -f "$work/group" ] && [ -f "$wants/flyball-helper.socket" ] || fail "removing purges"
run postrm purge
calls 'groupdel flyball'
[ "$(ls "$wants")" = another.socket ] || fail "purge leaves $(ls "$wants")"
[ ! -e "$DPKG_ROOT/run/flyball-measuring" ] || fail "purge leaves run/flyball-measuring"
[ -f "$DPKG_ROOT/run/flyball/journal" ] || fail "purge throws a journal away"
# Without systemd (containers).
rm -r "$DPKG_ROOT/run/systemd"
run postinst configure 0.1.0-1
calls 'groupadd --system flyball'
for script in 'prerm remove' 'postrm remove'; do
  run $script
  calls_nothing
done
echo "the package comes, is upgraded and goes"
