# Programs made here for boards. Of fmt and toml++, which a distribution has as shared libraries alone, they
# take the headers alone: neither needs to be on the board, and the compiler's cache gives the objects of
# the program with LibTorch to the static one.
if(FLYBALL_STATIC)
  # It needs nothing of the Linux it runs on, not even its C library, so that what is built here runs on a
  # board with an older one. It loads no other libraries: no LibTorch, and NVIDIA's only by way of flyball-nvml.
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
endif()
find_path(FMT_INCLUDE_DIR fmt/format.h REQUIRED)
add_library(fmt::fmt INTERFACE IMPORTED GLOBAL)
target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY=1)
