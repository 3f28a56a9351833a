# flyball_tests(TARGET LABEL source...)
# One test program. Its tests share processes, since each start costs: four shards. One that fails
# prints its tests by name; `bin/TARGET --gtest_filter=Suite.Name` runs one. Tests over a minute must be
# labelled slow, which tests/support/main.cc sees to; sanitizers get the ten times that they cost.
if(FLYBALL_SANITIZE)
  set(FLYBALL_TEST_LIMIT_S 600)
else()
  set(FLYBALL_TEST_LIMIT_S 60)
endif()
# With less optimisation GCC takes more to be uninitialised than is.
set(FLYBALL_TEST_OPTIONS ${FLYBALL_LEVEL_TEST} $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
set(FLYBALL_TEST_KIND test)  # of what is precompiled for it
add_library(flyball_test_main OBJECT EXCLUDE_FROM_ALL ${CMAKE_SOURCE_DIR}/tests/support/main.cc)
target_link_libraries(flyball_test_main PUBLIC GTest::gmock GTest::gtest PRIVATE flyball_options)
add_library(flyball_replay_main OBJECT EXCLUDE_FROM_ALL ${CMAKE_SOURCE_DIR}/tests/support/replay.cc)
target_link_libraries(flyball_replay_main PRIVATE flyball_options)

add_custom_target(threads_tests)     # what the preset tsan builds
set(FLYBALL_TEST_THREADS OFF)        # does what is tested start threads?

# A test program. Its tests stand with ctest by flyball_test_shards.
function(flyball_test_program target)
  add_executable(${target} ${ARGN})
  target_link_libraries(${target} PRIVATE flyball_test_main flyball_options)
  target_compile_options(${target} PRIVATE ${FLYBALL_TEST_OPTIONS})
  target_compile_definitions(${target} PRIVATE FLYBALL_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
                                               FLYBALL_BIN_DIR="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
  flyball_precompiled(${target} ${FLYBALL_TEST_KIND})
endfunction()

# The tests of a program, of those that stand in one of its sources (tests/support/main.cc), as four shards.
function(flyball_test_shards name program label)
  if(FLYBALL_TEST_THREADS AND NOT label STREQUAL slow)
    add_dependencies(threads_tests ${program})
    list(APPEND label threads)
  endif()
  foreach(number 1 2 3 4)
    math(EXPR shard "${number} - 1")
    set(environment GTEST_TOTAL_SHARDS=4 GTEST_SHARD_INDEX=${shard})
    if(NOT "slow" IN_LIST label)
      list(APPEND environment FLYBALL_TEST_LIMIT_S=${FLYBALL_TEST_LIMIT_S})
    endif()
    if(FLYBALL_SANITIZE)
      list(APPEND environment FLYBALL_DRAWN_QUESTIONS=1)  # each is half a minute, and runs the same code
    endif()
    if(ARGN)
      list(APPEND environment FLYBALL_TEST_SOURCE=${ARGN})
    endif()
    add_test(NAME ${name}-${number}of4 COMMAND ${program})
    set_tests_properties(${name}-${number}of4 PROPERTIES LABELS "${label}" TIMEOUT 3600
                                                         ENVIRONMENT "${environment}")
  endforeach()
endfunction()

function(flyball_tests target label)
  flyball_test_program(${target} ${ARGN})
  flyball_test_shards(${target} ${target} ${label})
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
