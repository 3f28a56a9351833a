# What Flyball takes from others, and why. All of it comes from the distribution by name.
find_package(Threads REQUIRED)
find_package(Eigen3 3.3 REQUIRED NO_MODULE)        # linear algebra of the predictors
find_package(nlohmann_json 3.10 REQUIRED)          # --json output, stored settings
if(FLYBALL_STATIC OR CMAKE_CROSSCOMPILING)
  include(FlyballBoards)
else()
  find_package(fmt REQUIRED)                       # formatting of messages and tables
endif()
include(FlyballToml)                               # experiments
find_package(SQLite3 REQUIRED)                     # the store
find_package(ZLIB REQUIRED)                        # gzipped IDX files
find_package(JPEG REQUIRED)                        # image datasets (libjpeg-turbo)
find_package(ICU REQUIRED COMPONENTS uc data)    # Unicode properties and NFD of tokenised text
find_package(Boost 1.74 REQUIRED)                   # headers alone: Asio (the inference endpoint), Math (quantiles)
find_path(CLI11_INCLUDE_DIR CLI/CLI.hpp REQUIRED)  # command line
find_path(DATE_INCLUDE_DIR date/date.h REQUIRED)   # times in plug meter logs (header-only part)
# The bundle of verify-board. Its static form where there is one: of the many formats that it knows the linker
# keeps tar and gzip alone, so that the program loads none of the libraries that the others need.
find_path(ARCHIVE_INCLUDE_DIR archive.h REQUIRED)
find_library(ARCHIVE_LIBRARY NAMES libarchive.a archive REQUIRED)
add_library(flyball_archive UNKNOWN IMPORTED GLOBAL)
set_target_properties(flyball_archive PROPERTIES IMPORTED_LOCATION ${ARCHIVE_LIBRARY}
                                                 INTERFACE_LINK_LIBRARIES ZLIB::ZLIB)
if(ARCHIVE_LIBRARY MATCHES "\\.a$")
  target_link_options(flyball_archive INTERFACE LINKER:--gc-sections)
endif()

# The screen of `flyball monitor`, in wide characters. Its static form where there is one: the program then loads
# nothing more, and takes terminals from the terminfo of the machine that it runs on.
find_path(CURSES_INCLUDE_DIR curses.h REQUIRED)
find_library(CURSES_LIBRARY NAMES libncursesw.a ncursesw REQUIRED)
find_library(TINFO_LIBRARY NAMES libtinfo.a tinfo)
add_library(flyball_curses UNKNOWN IMPORTED GLOBAL)
set_target_properties(flyball_curses PROPERTIES IMPORTED_LOCATION ${CURSES_LIBRARY}
  INTERFACE_COMPILE_DEFINITIONS NCURSES_WIDECHAR=1 INTERFACE_LINK_LIBRARIES "$<$<BOOL:${TINFO_LIBRARY}>:${TINFO_LIBRARY}>")

# LibTorch: a Jetson wheel, a pip torch or an unpacked archive when CMake finds it, else Debian's
# libtorch-dev. Only the module (src/module) links it.
if(FLYBALL_TORCH)
  find_package(Torch)
  if(NOT Torch_FOUND)
    message(FATAL_ERROR "LibTorch is missing. HINT: scripts/setup installs it; Torch_DIR names another "
      "one; -DFLYBALL_TORCH=OFF builds everything but networks and neural predictors")
  endif()
  if("${TORCH_CXX_FLAGS}" MATCHES "_GLIBCXX_USE_CXX11_ABI=0")
    message(FATAL_ERROR "The LibTorch in ${TORCH_INSTALL_PREFIX} has the old C++ ABI "
      "(_GLIBCXX_USE_CXX11_ABI=0), which nothing else here has. HINT: take an archive named "
      "'cxx11 ABI', or a torch of 2.7 or later")
  endif()
  separate_arguments(FLYBALL_TORCH_FLAGS UNIX_COMMAND "${TORCH_CXX_FLAGS}")
  add_library(flyball_torch INTERFACE)
  target_link_libraries(flyball_torch INTERFACE ${TORCH_LIBRARIES})
  target_include_directories(flyball_torch SYSTEM INTERFACE ${TORCH_INCLUDE_DIRS})
  target_compile_options(flyball_torch INTERFACE ${FLYBALL_TORCH_FLAGS})
  # Its classes have members for debugging unless NDEBUG is set, as it was where LibTorch was built.
  target_compile_definitions(flyball_torch INTERFACE $<$<NOT:$<CONFIG:Release>>:NDEBUG>)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_compile_options(flyball_torch INTERFACE
      "SHELL:-include \"${CMAKE_SOURCE_DIR}/cmake/clang_libtorch.h\"")
  endif()
endif()

# ONNX's protobuf classes and shape inference. Only the module of src/graph links them.
if(FLYBALL_STATIC)
  set(FLYBALL_ONNX OFF)
endif()
if(FLYBALL_ONNX)
  find_path(ONNX_INCLUDE_DIR onnx/shape_inference/implementation.h)
  find_library(ONNX_LIBRARY onnx)
  find_library(ONNX_PROTO_LIBRARY onnx_proto)
  find_package(Protobuf QUIET)
  if(ONNX_INCLUDE_DIR AND ONNX_LIBRARY AND ONNX_PROTO_LIBRARY AND Protobuf_FOUND)
    add_library(flyball_libonnx INTERFACE)
    target_link_libraries(flyball_libonnx INTERFACE
      ${ONNX_LIBRARY} ${ONNX_PROTO_LIBRARY} protobuf::libprotobuf)
    target_include_directories(flyball_libonnx SYSTEM INTERFACE ${ONNX_INCLUDE_DIR})
    target_compile_definitions(flyball_libonnx INTERFACE ONNX_NAMESPACE=onnx ONNX_ML=1)
  else()
    # Not in the cache, so that the next configuring looks again.
    message(STATUS "flyball: no onnx:FILE (libonnx or protobuf is missing; scripts/setup installs them)")
    set(FLYBALL_ONNX OFF)
  endif()
endif()

# One store for many boards (collect --into postgresql://…): headers of libpq alone. The library itself is loaded when
# a database is named, so that nobody else starts slower, and a program that was built with it runs without.
if(FLYBALL_STATIC OR CMAKE_CROSSCOMPILING)
  set(FLYBALL_POSTGRES OFF)
endif()
if(FLYBALL_POSTGRES)
  find_path(LIBPQ_INCLUDE_DIR libpq-fe.h PATH_SUFFIXES postgresql)
  if(NOT LIBPQ_INCLUDE_DIR)
    # Not in the cache, so that the next configuring looks again.
    message(STATUS "flyball: no PostgreSQL (libpq-fe.h is missing; scripts/setup installs it)")
    set(FLYBALL_POSTGRES OFF)
  endif()
endif()

if(FLYBALL_TESTS)
  find_package(GTest)
  if(NOT GTest_FOUND)
    # Not in the cache, so that the next configuring looks again.
    message(STATUS "flyball: no tests (GoogleTest is missing; scripts/setup installs it)")
    set(FLYBALL_TESTS OFF)
  endif()
endif()

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # With precompiled headers it has to be told that they hide no macro that changes by itself, and digests them
  # for each source unless it may know a file by its inode.
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_INODECACHE=1 ${CCACHE})
  add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess>)
endif()

# A LibTorch source needs about 1.3 GB to compile: never more of them at once than memory holds, which scripts/build says.
set(FLYBALL_TORCH_JOBS "" CACHE STRING "So many LibTorch sources are compiled at once; else as many as memory holds now")
if(NOT FLYBALL_TORCH_JOBS)
  execute_process(COMMAND ${CMAKE_SOURCE_DIR}/scripts/jobs 2000 OUTPUT_VARIABLE FLYBALL_TORCH_JOBS
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
endif()
set_property(GLOBAL PROPERTY JOB_POOLS torch=${FLYBALL_TORCH_JOBS})
