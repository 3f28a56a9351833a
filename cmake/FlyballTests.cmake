# flyball_tests(TARGET LABEL source...)
# One test program. Its tests share processes, since each start costs: four shards. One that fails
# prints its tests by name; `bin/TARGET --gtest_filter=Suite.Name` runs one. Tests over a minute must be
# labelled slow, which tests/support/main.cc sees to; sanitizers get the ten times that they cost.
if(FLYBALL_SANITIZE)
  set(FLYBALL_TEST_LIMIT_S 600)
else()
  set(FLYBALL_TEST_LIMIT_S 60)
endif()
# What only checks need not be fast; what it checks is. With less optimisation GCC takes more to be
# uninitialised than is. Sanitizers make optimising the dearest part of a build (26 s to 13 s for one test).
set(FLYBALL_TEST_LEVEL $<$<CONFIG:Release>:-O1> $<$<CONFIG:RelWithDebInfo>:-O0>)  # what is precompiled, too
set(FLYBALL_TEST_OPTIONS ${FLYBALL_TEST_LEVEL} $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
set(FLYBALL_TEST_KIND test)  # of what is precompiled for it
add_library(flyball_test_main OBJECT EXCLUDE_FROM_ALL ${CMAKE_SOURCE_DIR}/tests/support/main.cc)
target_link_libraries(flyball_test_main PUBLIC GTest::gmock GTest::gtest PRIVATE flyball_options)
add_library(flyball_replay_main OBJECT EXCLUDE_FROM_ALL ${CMAKE_SOURCE_DIR}/tests/support/replay.cc)
target_link_libraries(flyball_replay_main PRIVATE flyball_options)

add_custom_target(threads_tests)     # what the preset tsan builds
set(FLYBALL_TEST_THREADS OFF)        # does what is tested start threads?

function(flyball_tests target label)
  add_executable(${target} ${ARGN})
  target_link_libraries(${target} PRIVATE flyball_test_main flyball_options)
  target_compile_options(${target} PRIVATE ${FLYBALL_TEST_OPTIONS})
  target_compile_definitions(${target} PRIVATE FLYBALL_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
                                               FLYBALL_BIN_DIR="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
  flyball_precompiled(${target} ${FLYBALL_TEST_KIND})
  if(FLYBALL_TEST_THREADS AND NOT label STREQUAL slow)
    add_dependencies(threads_tests ${target})
    list(APPEND label threads)
  endif()
  foreach(number 1 2 3 4)
    set(name ${target}-${number}of4)
    math(EXPR shard "${number} - 1")
    set(environment GTEST_TOTAL_SHARDS=4 GTEST_SHARD_INDEX=${shard})
    if(NOT "slow" IN_LIST label)
      list(APPEND environment FLYBALL_TEST_LIMIT_S=${FLYBALL_TEST_LIMIT_S})
    endif()
    add_test(NAME ${name} COMMAND ${target})
    set_tests_properties(${name} PROPERTIES LABELS "${label}" TIMEOUT 3600
                                            ENVIRONMENT "${environment}")
  endforeach()
endfunction()

# A fuzzer built by the ordinary compiler; its seeds are a test.
function(flyball_replay fuzzer library)
  get_filename_component(stem ${fuzzer} NAME_WE)
  get_filename_component(folder ${fuzzer} DIRECTORY)
  add_executable(${stem}_replay ${fuzzer})
  target_link_libraries(${stem}_replay PRIVATE flyball_replay_main ${library} flyball_options)
  flyball_precompiled(${stem}_replay common)
  add_test(NAME ${stem} COMMAND ${stem}_replay ${folder}/${stem}_seeds)
  set_tests_properties(${stem} PROPERTIES LABELS unit TIMEOUT ${FLYBALL_TEST_LIMIT_S})
endfunction()
