// The committed files, byte for byte, in the read-only data of the program.
#include "device/helper/units.h"

#define FLYBALL_UNIT(name, file) \
  "flyball_unit_" name           \
  ":\n"                          \
  ".incbin \"" FLYBALL_UNITS "/" file "\"\n"

asm(".section .rodata\n" FLYBALL_UNIT("service", "flyball-helper.service.in")
        FLYBALL_UNIT("socket", "flyball-helper.socket") FLYBALL_UNIT("folder", "flyball.conf")
    ".global flyball_unit_service\n"
    ".global flyball_unit_socket\n"
    ".global flyball_unit_folder\n"
    ".global flyball_unit_end\n"
    "flyball_unit_end:\n"
    ".byte 0\n"
    ".previous\n");

extern "C" {
extern const char flyball_unit_service[];
extern const char flyball_unit_socket[];
extern const char flyball_unit_folder[];
extern const char flyball_unit_end[];
}

namespace flyball {

std::string helper_service_unit(const std::string& program) {
  std::string text(flyball_unit_service, flyball_unit_socket);
  constexpr std::string_view place = "@FLYBALL_PROGRAM@";
  if (const size_t at = text.find(place); at != std::string::npos)
    text.replace(at, place.size(), program);
  return text;
}

std::string_view helper_socket_unit() {
  return {flyball_unit_socket, static_cast<size_t>(flyball_unit_folder - flyball_unit_socket)};
}

std::string_view measuring_folder_unit() {
  return {flyball_unit_folder, static_cast<size_t>(flyball_unit_end - flyball_unit_folder)};
}

}  // namespace flyball
