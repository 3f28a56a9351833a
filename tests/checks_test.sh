#!/usr/bin/env bash
# Do the checks of scripts/ find what they look for? Small trees with one fault each.
# usage: tests/checks_test.sh SOURCE_FOLDER
set -euo pipefail
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "checks_test: $*" >&2; exit 1; }

# Room `high` knows `low`, never the other way; within it, `top` knows `part`.
tree() {
  rm -rf "$work/tree"
  mkdir -p "$work/tree/src/low" "$work/tree/src/high/part"
  printf '# House\n\n## Rooms\n\n| room | holds |\n|---|---|\n| `low/` | a |\n| `high/` | b |\n| · `part/` | c |\n| · `top/` | d |\n\n## More\n' \
    >"$work/tree/ARCHITECTURE.md"
  echo 'flyball_room(low)' >"$work/tree/src/low/CMakeLists.txt"
  echo 'flyball_room(high DEPENDS low LIBS fmt::fmt)' >"$work/tree/src/high/CMakeLists.txt"
  echo '#pragma once' | tee "$work/tree/src/low/a.h" "$work/tree/src/high/part/b.h" >/dev/null
  printf '#include "low/a.h"\n' >"$work/tree/src/low/a.cc"
  printf '#include "high/part/b.h"\n\n#include "low/a.h"\n' >"$work/tree/src/high/part/b.cc"
}
passes() { "$source/scripts/$1" "$work/tree" >"$work/out" 2>&1 || fail "$1 refuses a good tree: $(cat "$work/out")"; }
finds() {
  ! "$source/scripts/$1" "$work/tree" >"$work/out" 2>&1 || fail "$1 does not find: $2"
  grep -qF "$2" "$work/out" || fail "$1 says '$(cat "$work/out")' and not '$2'"
}

tree && passes check-rooms && passes check-headers

tree && echo '#include "high/part/b.h"' >>"$work/tree/src/low/a.cc"
finds check-rooms 'src/low/a.cc:2: low is above high and must not include it'

tree && printf '#pragma once\n#include "low/a.h"\n' >"$work/tree/src/high/part/b.h"
echo 'flyball_room(high)' >"$work/tree/src/high/CMakeLists.txt"
finds check-rooms 'src/high/part/b.h:2: high includes low, which its DEPENDS does not reach'

tree && echo 'flyball_room(low DEPENDS high)' >"$work/tree/src/low/CMakeLists.txt"
finds check-rooms 'low depends on high, which is not above it'

tree && mkdir "$work/tree/src/high/top" && echo '#pragma once' >"$work/tree/src/high/top/c.h"
printf '#pragma once\n#include "high/top/c.h"\n' >"$work/tree/src/high/part/b.h"
finds check-rooms 'src/high/part/b.h:2: high/part must not include high/top/'

tree && mkdir "$work/tree/src/high/hall" && echo '#pragma once' >"$work/tree/src/high/hall/d.h"
finds check-rooms 'src/high/hall/ is missing from the table'

tree && mkdir "$work/tree/src/shed"
finds check-rooms 'src/shed/ is missing from the table'

tree && mkdir "$work/tree/src/high/low" && echo '#pragma once' >"$work/tree/src/high/low/a.h"
echo '#include "low/a.h"' >"$work/tree/src/high/e.cc"
finds check-rooms 'src/high/e.cc: "low/a.h" may be src/high/low/a.h or src/low/a.h'

tree && for number in $(seq 25); do echo '#pragma once' >"$work/tree/src/low/n$number.h"; done
finds check-rooms 'src/low/ holds 26 stems'

tree && printf '#include "low/a.h"\n#include "high/part/b.h"\n' >"$work/tree/src/high/part/b.cc"
finds check-headers 'src/high/part/b.cc: its first include must be "high/part/b.h"'

# A class in two headers: nested ones and forward declarations are none.
tree && printf 'namespace flyball {\nclass Part;\nclass A {\n  struct Part {};\n};\n}\n' >>"$work/tree/src/low/a.h"
printf 'namespace flyball {\nclass A;\nstruct B {\n  class Part {};\n};\n}\n' >>"$work/tree/src/high/part/b.h"
passes check-names
for kind in 'class A final {};' 'struct A : Base {};' 'union A {};' 'enum class A { x };' 'using A = int;'; do
  printf 'namespace flyball {\n%s\n}\n' "$kind" >>"$work/tree/src/high/part/b.h"
  finds check-names "flyball::A is defined in $work/tree/src/high/part/b.h and in $work/tree/src/low/a.h"
  sed -i '$d' "$work/tree/src/high/part/b.h" && sed -i '$d' "$work/tree/src/high/part/b.h" && sed -i '$d' "$work/tree/src/high/part/b.h"
done

# Of two sources, or a source and a header; what has no name outside of its source is none.
printf 'namespace flyball {\nclass A final {};\n}\n' >>"$work/tree/src/high/part/b.cc"
finds check-names "flyball::A is defined in $work/tree/src/high/part/b.cc and in $work/tree/src/low/a.h"
sed -i 's/^class A final {};$/namespace {\nclass A final {};\n}/' "$work/tree/src/high/part/b.cc"
passes check-names

printf 'namespace flyball {\nclass SampleTeller;\n}\n' >>"$work/tree/src/high/part/b.h"
finds check-names "SampleTeller in $work/tree/src/high/part/b.h names no thing of the field"
for _ in 1 2 3; do sed -i '$d' "$work/tree/src/high/part/b.h"; done
printf '// The desk of a teller.\n' >>"$work/tree/src/high/part/b.h"
passes check-names
sed -i '$d' "$work/tree/src/high/part/b.h"

# Where git fails, or knows no source, nothing was looked at, and nothing passes.
mkdir -p "$work/no-clone/scripts"
cp "$source/scripts/check-format" "$source/scripts/check-names" "$work/no-clone/scripts/"
cp "$source/.clang-format" "$work/no-clone/"
looks() { # check, what it says
  if GIT_CEILING_DIRECTORIES=$work "$work/no-clone/scripts/$1" </dev/null >"$work/out" 2>&1; then
    fail "$1 passes, with nothing looked at: $(cat "$work/out")"
  fi
  grep -qF "$2" "$work/out" || fail "$1 says '$(cat "$work/out")' and not '$2'"
}
looks check-format 'not a git repository'
looks check-names 'not a git repository'
git -C "$work/no-clone" init -q
looks check-format 'check-format: git knows no sources here'
looks check-names 'check-names: there are no sources to look at'

# A figure of a text that becomes a power of ten; tests may hold it.
mkdir "$work/tree/src/answers"
printf 'auto a = format("{:.3g} ms", 1234.0);\n' >"$work/tree/src/answers/text.cc"
finds check-names "src/answers/text.cc: {:.3g} prints powers of ten"
mv "$work/tree/src/answers/text.cc" "$work/tree/src/answers/text_test.cc"
passes check-names
rm -r "$work/tree/src/answers"

# Which LibTorch is taken: Jetsons of straw, whose python3 answers as told.
mkdir -p "$work/jetson/etc" "$work/bin"
touch "$work/jetson/etc/nv_tegra_release"
torch() { # answer of python3's torch ('' has none), installed status of libtorch-dev, root
  printf '#!/bin/sh\n[ -n "%s" ] && echo "%s"\n' "$1" "$1" >"$work/bin/python3"
  printf '#!/bin/sh\necho "%s"\n' "$2" >"$work/bin/dpkg-query"
  chmod +x "$work/bin/python3" "$work/bin/dpkg-query"
  env -u Torch_DIR PATH="$work/bin:$PATH" FLYBALL_ROOT="$3" "$source/scripts/find-torch" 2>"$work/said"
}
is() { [ "$1" = "$2" ] || fail "find-torch answers '$1' and not '$2'"; }
says() { grep -qF "$1" "$work/said" || fail "find-torch does not say '$1' but '$(cat "$work/said")'"; }
there='install ok installed'
is "$(torch '2.1.0 11.4 True /nv/torch' "$there" "$work/jetson")" 'nvidia /nv/torch'
[ ! -s "$work/said" ] || fail "find-torch warns of NVIDIA's LibTorch: $(cat "$work/said")"
is "$(torch '2.1.0 None True /pip/torch' "$there" "$work/jetson")" package
says 'THIS IS A JETSON AND NO LIBTORCH WITH CUDA'
is "$(torch '' '' "$work/jetson")" none
says 'THIS IS A JETSON AND NO LIBTORCH WITH CUDA'
is "$(torch '1.10.0 10.2 False /old/torch' '' "$work/jetson")" none
says "python3's torch 1.10.0 has the old C++ ABI and is not used"
is "$(torch '2.1.0 11.8 True /pip/torch' "$there" "$work")" package
is "$(torch '2.7.0 None True /pip/torch' '' "$work")" 'python /pip/torch'
mkdir -p "$work/old"
echo 'set(TORCH_CXX_FLAGS "-D_GLIBCXX_USE_CXX11_ABI=0")' >"$work/old/TorchConfig.cmake"
if Torch_DIR=$work/old "$source/scripts/find-torch" 2>"$work/said"; then fail "a LibTorch with the old ABI is taken"; fi
says "the one in $work/old has the old C++ ABI"

# Golden text: what is the same passes and stays as it is, what differs fails until it is written.
answers() { "$source/tests/answers_test.py" "$source" "$work" "$@" "$work/a.txt" >"$work/out" 2>&1; }
mkdir -p "$work/bin" && touch "$work/bin/flyball"
printf '# Shown.\n$ echo 1.004 s, profiled in 7 ms; exit_code() { return 3; }; exit_code\n1.0001 s, profiled in 12 s\n[exit 3]\n' >"$work/a.txt"
cp "$work/a.txt" "$work/before.txt"
answers || fail "answers_test.py finds a difference: $(cat "$work/out")"
answers --update && cmp "$work/a.txt" "$work/before.txt" || fail "answers_test.py --update rewrites what is the same"
for change in 's/^1.0001/1.02/' 's/exit 3/exit 2/' 's/^1.0001 s/1.0001 ms/' '/^1/d'; do
  sed "$change" "$work/before.txt" >"$work/a.txt"
  ! answers || fail "answers_test.py does not find: $change"
  grep -qF -- '--update-answers' "$work/out" || fail "answers_test.py names no remedy: $(cat "$work/out")"
  answers --update && answers || fail "answers_test.py does not take: $change"
done
# A limit is exact where other numbers are not.
printf '$ echo "power 16.561 of 20 W, try --latency 10.231ms, 10.231 s an epoch"\npower 16.561 of 20 W, try --latency 10.231ms, 10.232 s an epoch\n' >"$work/before.txt"
cp "$work/before.txt" "$work/a.txt"
answers || fail "answers_test.py takes a number for a limit: $(cat "$work/out")"
for change in 's/16.561/16.562/' 's/10.231ms/10.232ms/'; do
  sed "2$change" "$work/before.txt" >"$work/a.txt"
  ! answers || fail "answers_test.py does not find a limit that is another: $change"
done
echo "all checks find their faults"
