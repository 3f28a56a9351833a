# flyball_room(NAME [DEPENDS room...] [LIBS library...] [PRECOMPILED kind] [TORCH file...] [KERNELS file...] [MODULE] [COLD])
# One room of the house: every source of the folder and of its sub-folders belongs to it. What a file is stands in its
# suffix: x_test.cc, x_slow_test.cc (label `slow`), x_bench.cc, x_fuzz.cc; the rest is the library.
# COLD: it waits for files, boards or people (FlyballLevels.cmake).
# PRECOMPILED: which headers of others it reads precompiled, where not `common`.
# TORCH: files that need LibTorch. Their objects go into the module (src/module) and nowhere else;
# their tests are NAME_torch_test. KERNELS: those of them with loops over numbers of their own. MODULE: tests and benchmarks load the module. THREADS: it starts threads
# of its own, so that the preset tsan runs its tests (label `threads`).
add_library(flyball_options INTERFACE)
target_include_directories(flyball_options INTERFACE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
target_compile_options(flyball_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor
  -Woverloaded-virtual -Wcast-align -Wundef -Werror)
target_compile_definitions(flyball_options INTERFACE FLYBALL_VERSION="${PROJECT_VERSION}"
                                                     FLYBALL_STATIC=$<BOOL:${FLYBALL_STATIC}>)
if(FLYBALL_UNITY)
  # What these warn of stands in another source; builds source by source keep them.
  target_compile_options(flyball_options INTERFACE -Wno-shadow
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
  # A library takes what it calls of a batch, as it does of a source.
  target_compile_options(flyball_options INTERFACE -ffunction-sections -fdata-sections)
  add_link_options(LINKER:--gc-sections)
endif()
if(NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)
  # Where headers are precompiled, GCC 12's flow warnings see ghosts inside of std::string; the preset
  # gcc11 precompiles nothing and keeps them.
  target_compile_options(flyball_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds
    -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread>)
  # At -O0 fmt optimises some of its own functions by a pragma, and GCC keeps __OPTIMIZE__ of that in what it
  # precompiles, by which the headers of SSE take the half that needs optimising.
  if(NOT CMAKE_BUILD_TYPE STREQUAL Release)
    target_compile_options(flyball_options INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:-DFMT_GCC_PRAGMA(arg)=>")
  endif()
endif()
if(FLYBALL_SANITIZE)
  add_compile_options(-fsanitize=${FLYBALL_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=all)
  # Two checks double what GCC takes to compile, and others find what they find: an access through null is
  # an address error, and casts to what needs more alignment are warned of. Fuzzers (clang) keep both.
  add_compile_options($<$<AND:$<CXX_COMPILER_ID:GNU>,$<COMPILE_LANGUAGE:CXX>>:-fno-sanitize=null,alignment>
                      $<$<CXX_COMPILER_ID:GNU>:-Wcast-align=strict>)
  # What sanitizers put between the lines leads GCC's flow warnings astray; other builds keep them.
  target_compile_options(flyball_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow
    -Wno-tsan -Wno-restrict -Wno-array-bounds -Wno-maybe-uninitialized -Wno-mismatched-new-delete>)
  add_link_options(-fsanitize=${FLYBALL_SANITIZE})
  # The check of dynamic types compares addresses: programs and the module need one type_info each.
  add_link_options(LINKER:--export-dynamic-symbol=_ZT[IS]N7flyball*)
endif()
if(FLYBALL_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
add_custom_target(check_headers)

# `target` is built after what it needs at run time; nothing is needed without LibTorch.
function(flyball_needs target)
  if(ARGN)
    add_dependencies(${target} ${ARGN})
  endif()
endfunction()

include(FlyballLevels)
if(FLYBALL_TESTS)
  include(FlyballTests)
endif()
include(FlyballPrecompiled)

# Headers without an own source are compiled alone, when asked for. The others stand first in theirs
# (scripts/check-headers); the presets gcc11 and aarch64 compile all of them with nothing precompiled.
function(flyball_header_check name library)
  set(checks)
  foreach(header ${ARGN})
    string(REGEX REPLACE "\\.h$" "" own ${header})
    if(EXISTS ${own}.cc)
      continue()
    endif()
    file(RELATIVE_PATH path ${CMAKE_SOURCE_DIR}/src ${header})
    string(REPLACE "/" "_" stem ${path})
    set(check ${CMAKE_CURRENT_BINARY_DIR}/headers/${stem}.cc)
    file(GENERATE OUTPUT ${check} CONTENT "#include \"${path}\"\n")
    list(APPEND checks ${check})
  endforeach()
  if(checks)
    add_library(${library}_headers OBJECT EXCLUDE_FROM_ALL ${checks})
    target_link_libraries(${library}_headers PRIVATE ${library} flyball_options)
    target_compile_definitions(${library}_headers PRIVATE
      FLYBALL_SOURCE_DIR="${CMAKE_SOURCE_DIR}" FLYBALL_BIN_DIR="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
    add_dependencies(check_headers ${library}_headers)
  endif()
endfunction()

# Sources that read the same headers are compiled together: ten take half of their time, forty a third. With LibTorch,
# whose headers leave ten seconds of templates to each of them, ten take a quarter, and no more memory than the
# largest by itself.
# What two sources of a room define in unnamed namespaces differs in name, therefore.
function(flyball_compiled_together target most)
  if(FLYBALL_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${most})
  endif()
endfunction()

# The files of a room that need LibTorch: objects for the module, and tests that link them.
function(flyball_torch_part name)
  set(sources ${ARGN})
  set(tests ${ARGN})
  set(slow_tests ${ARGN})
  set(headers ${ARGN})
  list(FILTER sources INCLUDE REGEX "\\.cc$")
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  list(FILTER slow_tests INCLUDE REGEX "_slow_test\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(FILTER tests EXCLUDE REGEX "_slow_test\\.cc$")
  list(FILTER headers INCLUDE REGEX "\\.h$")
  # Kernels stand by themselves in a unity build, as sources with options of their own do.
  if(ROOM_KERNELS)
    set_source_files_properties(${ROOM_KERNELS} PROPERTIES COMPILE_OPTIONS "${FLYBALL_LEVEL_KERNEL}")
  endif()
  set(library flyball_${name}_torch)
  add_library(${library} OBJECT ${sources})
  target_compile_options(${library} PRIVATE ${FLYBALL_LEVEL_TORCH})
  flyball_compiled_together(${library} 10)
  target_link_libraries(${library} PUBLIC flyball_${name} flyball_torch PRIVATE flyball_options)
  set_target_properties(${library} PROPERTIES JOB_POOL_COMPILE torch)
  flyball_precompiled(${library} torch)
  flyball_header_check(${name} ${library} ${headers})
  set(FLYBALL_TEST_KIND torch_test)
  if(FLYBALL_TESTS AND tests)
    flyball_tests(${name}_torch_test unit ${tests})
    target_link_libraries(${name}_torch_test PRIVATE ${library} flyball_options)
    flyball_compiled_together(${name}_torch_test 10)
    add_dependencies(${name}_torch_test flyball_torch_module)
  endif()
  if(FLYBALL_TESTS AND slow_tests)
    flyball_tests(${name}_torch_slow_test slow ${slow_tests})
    target_link_libraries(${name}_torch_slow_test PRIVATE ${library} flyball_options)
    add_dependencies(${name}_torch_slow_test flyball_torch_module)
  endif()
endfunction()

# A benchmark of its own, which is built after what it needs at run time.
function(flyball_benchmark file library)
  get_filename_component(stem ${file} NAME_WE)
  add_executable(${stem} ${file})
  target_link_libraries(${stem} PRIVATE ${library} flyball_options)
  flyball_needs(${stem} ${ARGN})
  target_compile_definitions(${stem} PRIVATE FLYBALL_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
    FLYBALL_BIN_DIR="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
  flyball_precompiled(${stem} common)
endfunction()

function(flyball_room name)
  cmake_parse_arguments(ROOM "MODULE;THREADS;COLD" "PRECOMPILED" "DEPENDS;LIBS;TORCH;KERNELS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS *.cc)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS *.h)
  list(TRANSFORM ROOM_TORCH PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  list(TRANSFORM ROOM_KERNELS PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  if(ROOM_TORCH)
    list(REMOVE_ITEM sources ${ROOM_TORCH})
    list(REMOVE_ITEM headers ${ROOM_TORCH})
  endif()
  if(ROOM_MODULE AND FLYBALL_TORCH)
    set(module flyball_torch_module)
  endif()
  set(FLYBALL_TEST_THREADS ${ROOM_THREADS})
  set(tests ${sources})
  set(slow_tests ${sources})
  set(benches ${sources})
  set(fuzzers ${sources})
  list(FILTER slow_tests INCLUDE REGEX "_slow_test\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(FILTER tests EXCLUDE REGEX "_slow_test\\.cc$")
  list(FILTER benches INCLUDE REGEX "_bench\\.cc$")
  list(FILTER fuzzers INCLUDE REGEX "_fuzz\\.cc$")
  list(FILTER sources EXCLUDE REGEX "_(test|bench|fuzz)\\.cc$")
  list(FILTER sources EXCLUDE REGEX "/main\\.cc$")

  set(library flyball_${name})
  set(rooms)
  foreach(room ${ROOM_DEPENDS})
    list(APPEND rooms flyball_${room})
  endforeach()
  if(sources)
    add_library(${library} STATIC ${sources})
    target_link_libraries(${library} PUBLIC ${rooms} ${ROOM_LIBS} PRIVATE flyball_options)
    target_include_directories(${library} PUBLIC ${CMAKE_SOURCE_DIR}/src)
    if(NOT ROOM_PRECOMPILED)
      set(ROOM_PRECOMPILED common)
    endif()
    flyball_precompiled(${library} ${ROOM_PRECOMPILED})
    flyball_compiled_together(${library} ${FLYBALL_UNITY})
    if(ROOM_COLD)
      target_compile_options(${library} PRIVATE ${FLYBALL_LEVEL_COLD})
    endif()
  else()
    add_library(${library} INTERFACE)
    target_link_libraries(${library} INTERFACE ${rooms} ${ROOM_LIBS})
    target_include_directories(${library} INTERFACE ${CMAKE_SOURCE_DIR}/src)
  endif()
  flyball_header_check(${name} ${library} ${headers})
  if(ROOM_TORCH AND FLYBALL_TORCH)
    flyball_torch_part(${name} ${ROOM_TORCH})
  endif()

  if(FLYBALL_TESTS AND tests)
    flyball_tests(${name}_test unit ${tests})
    target_link_libraries(${name}_test PRIVATE ${library} flyball_options)
    flyball_compiled_together(${name}_test ${FLYBALL_UNITY})
    flyball_needs(${name}_test ${module})
  endif()
  if(FLYBALL_TESTS AND slow_tests)
    flyball_tests(${name}_slow_test slow ${slow_tests})
    target_link_libraries(${name}_slow_test PRIVATE ${library} flyball_options)
    flyball_needs(${name}_slow_test ${module})
  endif()
  if(FLYBALL_BENCH)
    foreach(bench ${benches})
      flyball_benchmark(${bench} ${library} ${module})
    endforeach()
  endif()
  if(FLYBALL_TESTS AND NOT FLYBALL_FUZZ)
    foreach(fuzzer ${fuzzers})
      flyball_replay(${fuzzer} ${library})
    endforeach()
  endif()
  if(FLYBALL_FUZZ)
    foreach(fuzzer ${fuzzers})
      get_filename_component(stem ${fuzzer} NAME_WE)
      add_executable(${stem} ${fuzzer})
      target_link_libraries(${stem} PRIVATE ${library} flyball_options)
      target_link_options(${stem} PRIVATE -fsanitize=fuzzer)
    endforeach()
  endif()
endfunction()
