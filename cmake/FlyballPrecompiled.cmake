# Headers of others that many sources read, parsed once for each kind of source. Kinds are few and
# small: a source loads all of one, which costs more than it saves where little of it is used.
# No source may lean on it: the presets gcc11 and aarch64 build without.
function(flyball_precompile kind)
  cmake_parse_arguments(KIND "" "" "HEADERS;LIBS" ${ARGN})
  set(nothing ${CMAKE_BINARY_DIR}/precompiled/${kind}.cc)
  file(CONFIGURE OUTPUT ${nothing} CONTENT "")
  add_library(flyball_precompiled_${kind} OBJECT EXCLUDE_FROM_ALL ${nothing})
  target_link_libraries(flyball_precompiled_${kind} PRIVATE ${KIND_LIBS} flyball_options)
  target_precompile_headers(flyball_precompiled_${kind} PRIVATE ${KIND_HEADERS})
  # Nothing links the empty source that CMake wants here; compiling it would instantiate what all of them may need.
  set_source_files_properties(${nothing} PROPERTIES COMPILE_OPTIONS -E)
endfunction()

# The sources of `target` read the headers of `kind` first. Both need the same macros and -f options, so
# programs are compiled as libraries are.
function(flyball_precompiled target kind)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL EXECUTABLE)
    target_compile_options(${target} PRIVATE -fPIC)
  endif()
  target_precompile_headers(${target} REUSE_FROM flyball_precompiled_${kind})
endfunction()

set(common <algorithm> <array> <cmath> <cstdint> <filesystem> <fmt/format.h> <functional> <limits> <map>
  <memory> <optional> <set> <span> <string> <string_view> <utility> <vector>)
flyball_precompile(common LIBS fmt::fmt HEADERS ${common})
flyball_precompile(json LIBS fmt::fmt nlohmann_json::nlohmann_json
                   HEADERS ${common} <nlohmann/json.hpp>)
flyball_precompile(command LIBS fmt::fmt nlohmann_json::nlohmann_json
                   HEADERS ${common} <nlohmann/json.hpp> <CLI/CLI.hpp>)
flyball_precompile(eigen LIBS fmt::fmt Eigen3::Eigen HEADERS ${common} <Eigen/Dense>)
if(FLYBALL_TORCH)
  set(torch <ATen/Functions.h> <ATen/Parallel.h> <torch/autograd.h> <torch/nn/modules/batchnorm.h>
    <torch/nn/modules/container/modulelist.h> <torch/nn/modules/container/sequential.h>
    <torch/nn/modules/conv.h> <torch/nn/modules/linear.h> <torch/types.h>)
  flyball_precompile(torch LIBS fmt::fmt flyball_torch HEADERS ${common} ${torch})
endif()
if(FLYBALL_TESTS)
  flyball_precompile(test LIBS fmt::fmt GTest::gmock HEADERS ${common} <gmock/gmock.h>)
  flyball_precompile(command_test LIBS fmt::fmt GTest::gmock nlohmann_json::nlohmann_json
                     HEADERS ${common} <gmock/gmock.h> <nlohmann/json.hpp>)
  set(kinds test command_test)
  if(FLYBALL_TORCH)
    flyball_precompile(torch_test LIBS fmt::fmt flyball_torch GTest::gmock
                       HEADERS ${common} ${torch} <gmock/gmock.h>)
    list(APPEND kinds torch_test)
  endif()
  foreach(kind ${kinds})
    target_compile_options(flyball_precompiled_${kind} PRIVATE ${FLYBALL_LEVEL_TEST})
  endforeach()
  target_compile_options(flyball_precompiled_command_test PRIVATE ${FLYBALL_LEVEL_COMMAND_TEST})
endif()
