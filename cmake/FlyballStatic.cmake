# One static program that needs nothing of the Linux it runs on, not even its C library, so that what is
# built here runs on a board with an older one. It loads no other libraries: no LibTorch, no vendor's.
set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
set(CMAKE_EXE_LINKER_FLAGS "${CMAKE_EXE_LINKER_FLAGS} -static")
# Distributions have these as shared libraries alone; both can be headers alone.
find_path(FMT_INCLUDE_DIR fmt/format.h REQUIRED)
add_library(fmt::fmt INTERFACE IMPORTED GLOBAL)
target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY=1)
find_path(TOMLPLUSPLUS_INCLUDE_DIR toml++/toml.h REQUIRED)
add_library(tomlplusplus::tomlplusplus INTERFACE IMPORTED GLOBAL)
target_compile_definitions(tomlplusplus::tomlplusplus INTERFACE TOML_HEADER_ONLY=1)
