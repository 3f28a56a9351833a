// The committed page, byte for byte, in the read-only data of the program.
#include "report/page.h"

asm(".section .rodata\n"
    ".global flyball_page_begin\n"
    ".global flyball_page_end\n"
    "flyball_page_begin:\n"
    ".incbin \"" FLYBALL_PAGE
    "\"\n"
    "flyball_page_end:\n"
    ".byte 0\n"
    ".previous\n");

extern "C" {
extern const char flyball_page_begin[];
extern const char flyball_page_end[];
}

namespace flyball {

std::string_view page_template() {
  return {flyball_page_begin, static_cast<size_t>(flyball_page_end - flyball_page_begin)};
}

}  // namespace flyball
