#!/usr/bin/env bash
# How scripts/build configures and builds, in a stand-in tree with stand-ins of LibTorch; which jobs, which toml++; what
# is installed of a tree whose name holds a space.
# usage: tests/build_test.sh SOURCE_FOLDER
set -euo pipefail
source=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset Torch_DIR FLYBALL_TOML CMAKE_PREFIX_PATH
fail() {
  echo "build_test: $*" >&2
  exit 1
}
says() { grep -qF -- "$1" "$work/said" || fail "does not say '$1' but: $(cat "$work/said")"; }
omits() { ! grep -qF -- "$1" "$work/said" || fail "says '$1': $(cat "$work/said")"; }

# Jobs: the least of memory that is free and of the limits of control groups; two gigabytes each.
mkdir -p "$work/bin" "$work/root/proc/self" "$work/root/sys/fs/cgroup/a/b" "$work/root/sys/fs/cgroup/memory/a/b"
printf '#!/bin/sh\necho 16\n' >"$work/bin/nproc"
chmod +x "$work/bin/nproc"
jobs_are() {
  local told
  told=$(PATH="$work/bin:$PATH" FLYBALL_ROOT="$work/root" "$source/scripts/jobs" ${2:-})
  [ "$told" = "$1" ] || fail "$told jobs, not $1"
}
echo 'MemAvailable:   20971520 kB' >"$work/root/proc/meminfo"
jobs_are 10
jobs_are 16 1000
echo '0::/a/b' >"$work/root/proc/self/cgroup"
echo max >"$work/root/sys/fs/cgroup/a/b/memory.max"
jobs_are 10
echo $((8 << 30)) >"$work/root/sys/fs/cgroup/a/memory.max"
jobs_are 4
echo $((1 << 30)) >"$work/root/sys/fs/cgroup/memory.max"
jobs_are 1
rm "$work/root/sys/fs/cgroup/memory.max" "$work/root/sys/fs/cgroup/a/memory.max"
printf '4:cpu:/\n3:cpuset,memory:/elsewhere\n' >"$work/root/proc/self/cgroup"
echo 9223372036854771712 >"$work/root/sys/fs/cgroup/memory/memory.limit_in_bytes"
jobs_are 10
echo $((6 << 30)) >"$work/root/sys/fs/cgroup/memory/memory.limit_in_bytes"
jobs_are 3

# A tree that says which LibTorch it was configured with. Each LibTorch asks for its Caffe2 and its libraries.
tree=$work/tree
mkdir -p "$tree/scripts"
cp "$source/scripts/build" "$source/scripts/jobs" "$tree/scripts/"
cat >"$tree/scripts/find-torch" <<'END'
#!/bin/sh
cat "$(dirname "$0")/../found"
END
chmod +x "$tree/scripts/find-torch"
echo '{"version": 3,
  "configurePresets": [{"name": "release", "generator": "Ninja", "binaryDir": "${sourceDir}/build/${presetName}"}],
  "buildPresets": [{"name": "release", "configurePreset": "release"}]}' >"$tree/CMakePresets.json"
cat >"$tree/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.22)
project(tree NONE)
set(CMAKE_FIND_LIBRARY_PREFIXES lib)
set(CMAKE_FIND_LIBRARY_SUFFIXES .so)
option(FLYBALL_TORCH "" ON)
if(FLYBALL_TORCH)
  find_package(Torch)
endif()
set(told "${CAFFE2_OF} ${TORCH_LIBRARY} ${c10_LIBRARY} FLYBALL_TORCH=${FLYBALL_TORCH} jobs=${FLYBALL_TORCH_JOBS}")
add_custom_target(tell ALL COMMAND ${CMAKE_COMMAND} -E echo "told ${told}")
add_custom_target(other COMMAND ${CMAKE_COMMAND} -E echo "the other target")
add_custom_target(slow COMMAND ${CMAKE_COMMAND} -E touch ${CMAKE_BINARY_DIR}/begun COMMAND sleep 2)
END
libtorch() { # folder of its CMake files, prefix
  mkdir -p "$1/Torch" "$1/Caffe2" "$2/lib"
  touch "$2/lib/libtorch.so" "$2/lib/libc10.so"
  echo "set(CAFFE2_OF $2)" >"$1/Caffe2/Caffe2Config.cmake"
  cat >"$1/Torch/TorchConfig.cmake" <<END
find_package(Caffe2 REQUIRED PATHS \${CMAKE_CURRENT_LIST_DIR}/../Caffe2)
find_library(TORCH_LIBRARY torch PATHS $2/lib)
find_library(c10_LIBRARY c10 PATHS $2/lib)
END
}
libtorch "$work/system/lib/cmake" "$work/system"
libtorch "$work/pip/share/cmake" "$work/pip"
sed -i "1a list(PREPEND CMAKE_SYSTEM_PREFIX_PATH $work/system)" "$tree/CMakeLists.txt"
build() { # what find-torch says, words
  echo "$1" >"$tree/found"
  shift
  "$tree/scripts/build" "$@" >"$work/said" 2>&1 || fail "scripts/build fails: $(cat "$work/said")"
}
is_of() { says "told $work/$1 $work/$1/lib/libtorch.so $work/$1/lib/libc10.so FLYBALL_TORCH=ON"; }
build package
is_of system
build "python $work/pip/share/cmake"
is_of pip
build package
is_of system
build "named $work/pip/share/cmake/Torch"
is_of pip
build package
is_of system

# Words for CMake, targets; OFF is kept until there is a LibTorch.
build package release -DFLYBALL_TORCH=OFF other
says 'the other target'
omits 'told'
build package
says 'FLYBALL_TORCH=OFF'
build none -DFLYBALL_TORCH=OFF
build none
says "FLYBALL_TORCH=OFF jobs=$("$source/scripts/jobs" 2000)"
build package
is_of system

# Two at once: the second waits, and says so.
"$tree/scripts/build" release slow >/dev/null 2>&1 &
for _ in $(seq 100); do [ ! -f "$tree/build/release/begun" ] || break; sleep 0.1; done
build package
says 'waits for another build in build/release'
wait

# toml++: of a package, of FLYBALL_TOML (an option; of the environment before it), headers alone, or none.
mkdir -p "$work/toml" "$work/a/toml++" "$work/b/toml++" "$work/usr/include/toml++"
touch "$work/a/toml++/toml.h" "$work/b/toml++/toml.h" "$work/usr/include/toml++/toml.h"
cat >"$work/toml/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.22)
project(toml NONE)
include($source/cmake/FlyballToml.cmake)
get_target_property(folder tomlplusplus::tomlplusplus INTERFACE_INCLUDE_DIRECTORIES)
message(STATUS "toml++ in \${folder} \${TOMLPLUSPLUS_INCLUDE_DIR}")
END
toml() { cmake -S "$work/toml" -B "$work/toml/build" -DCMAKE_DISABLE_FIND_PACKAGE_tomlplusplus=ON "$@" >"$work/said" 2>&1; }
toml || true  # whatever this machine has
FLYBALL_TOML=$work/a toml || fail "the environment's FLYBALL_TOML is not taken: $(cat "$work/said")"
says "toml++ in $work/a"
FLYBALL_TOML=$work/b toml -DFLYBALL_TOML="$work/a"
says "toml++ in $work/b"
toml  # as when CMake runs by itself
says "toml++ in $work/b"
! FLYBALL_TOML=$work/none toml || fail "a folder without toml++ is taken"
says "FLYBALL_TOML is $work/none"
rm -r "$work/toml/build"
toml -DCMAKE_PREFIX_PATH="$work/usr" || fail "headers alone are not taken: $(cat "$work/said")"
says "$work/usr/include"
rm -r "$work/toml/build"
! toml -DCMAKE_FIND_ROOT_PATH="$work/pip" -DCMAKE_FIND_ROOT_PATH_MODE_INCLUDE=ONLY || fail "no toml++ is taken"
says 'toml++ is missing.'

# Installed before its papers are made, and with them; the program is a stand-in.
tree="$work/with space"
mkdir -p "$tree"
ln -s "$source"/{src,packaging,examples,experiments,docs,include,NOTICE,LICENSE,README.md,CHANGELOG.md} "$tree/"
cat >"$tree/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.22)
project(flyball VERSION 0.1.0 LANGUAGES NONE)
include(GNUInstallDirs)
add_executable(flyball IMPORTED)
set_target_properties(flyball PROPERTIES IMPORTED_LOCATION "$tree/program")
include($source/cmake/FlyballPackage.cmake)
END
cat >"$tree/program" <<'END'
#!/bin/sh
if [ "$1" = man ]; then mkdir -p "$3" && echo a page >"$3/flyball.1"; else echo "completion of $2"; fi
END
chmod +x "$tree/program"
cmake -Wno-dev -G Ninja -S "$tree" -B "$tree/build" >/dev/null
cmake --install "$tree/build" --prefix "$work/installed" >"$work/said" 2>&1 || fail "it is not installed: $(cat "$work/said")"
[ -f "$work/installed/share/doc/flyball/NOTICE" ] || fail "nothing is installed"
for service in helper metrics; do
  grep -q "^ExecStart=$work/installed/bin/flyball " "$work/installed/lib/systemd/system/flyball-$service.service" ||
    fail "flyball-$service.service starts another program than the installed one"
done
cmake --build "$tree/build" --target flyball_papers >"$work/said" 2>&1 || fail "no papers are made: $(cat "$work/said")"
cmake --install "$tree/build" --prefix "$work/installed" >/dev/null
[ "$(gzip -dc "$work/installed/share/man/man1/flyball.1.gz")" = 'a page' ] || fail "no page is installed"
[ "$(cat "$work/installed/share/fish/vendor_completions.d/flyball.fish")" = 'completion of fish' ] || fail "no completion"
gzip -dc "$work/installed/share/doc/flyball/third-party.gz" >"$work/said"
says 'Boost Software License'

# Where a library's papers are missing, none are made.
! FLYBALL_ROOT=$work/root "$source/packaging/third-party" >"$work/said" 2>&1 || fail "papers are made of nothing"
says 'third-party: there is no /usr/share/doc/libc6-dev/copyright'
echo "builds are those of what is there"
