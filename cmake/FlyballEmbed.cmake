# flyball_embed(ROOM PATTERN HEADER TYPE FUNCTION): the files of PATTERN (folder/*.toml) travel inside the program. FUNCTION, which
# HEADER declares, returns them by their names as a constant list of TYPE {file, text}.
function(flyball_embed room pattern header type function)
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${pattern})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
  set(entries)
  foreach(file ${files})
    file(READ ${file} text)
    get_filename_component(name ${file} NAME)
    string(APPEND entries "    {\"${name}\", R\"file(${text})file\"},\n")
  endforeach()
  set(embedded ${CMAKE_CURRENT_BINARY_DIR}/embedded.cc)
  file(CONFIGURE OUTPUT ${embedded} @ONLY CONTENT [[// Made from @pattern@.
#include "@header@"

// Clang's -Wpedantic allows literals of 64 KiB, which is what the standard asks of compilers at least.
#pragma GCC diagnostic ignored "-Woverlength-strings"

namespace flyball {

const std::vector<@type@>& @function@() {
  static const std::vector<@type@> files = {
@entries@  };
  return files;
}

}  // namespace flyball
]])
  target_sources(flyball_${room} PRIVATE ${embedded})
  # Clang (the fuzzers) warns of literals longer than what every compiler must take; both of ours take these.
  set_source_files_properties(${embedded} PROPERTIES
    COMPILE_OPTIONS "$<$<CXX_COMPILER_ID:Clang>:-Wno-overlength-strings>")
endfunction()
