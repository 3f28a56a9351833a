// The committed page, byte for byte, in the read-only data of the program.
#include "server/endpoint.h"

asm(".section .rodata\n"
    ".global flyball_live_page_begin\n"
    ".global flyball_live_page_end\n"
    "flyball_live_page_begin:\n"
    ".incbin \"" FLYBALL_LIVE_PAGE
    "\"\n"
    "flyball_live_page_end:\n"
    ".byte 0\n"
    ".previous\n");

extern "C" {
extern const char flyball_live_page_begin[];
extern const char flyball_live_page_end[];
}

namespace flyball {

std::string_view live_page() {
  return {flyball_live_page_begin,
          static_cast<size_t>(flyball_live_page_end - flyball_live_page_begin)};
}

}  // namespace flyball
