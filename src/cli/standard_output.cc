#include "cli/standard_output.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "cli/output.h"

namespace flyball::cli {
namespace {

// A failed flush drops what it could not write, and with it the reason.
int first_reason = 0;

void flush_output() {
  errno = 0;
  if (std::fflush(stdout) != 0 && first_reason == 0) first_reason = errno;
}

std::string message(int reason) {
  return std::string("cannot write to standard output") +
         (reason != 0 ? fmt::format(": {}", std::strerror(reason)) : "");
}

std::string hint(int reason) {
  return reason == ENOSPC || reason == EDQUOT || reason == EFBIG
             ? "free some disk space"
             : "check where it is redirected to";
}

}  // namespace

void write_output(std::string_view text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() && first_reason == 0)
    first_reason = errno;
  flush_output();
}

int finish_output(int exit_code, int reason) {
  if (first_reason == 0) first_reason = reason;
  flush_output();
  if (std::ferror(stdout) == 0 && first_reason == 0) return exit_code;
  // As if the signal of a broken pipe, which somebody has switched off, had ended us.
  if (first_reason == EPIPE) return 141;
  report_error({Code::io, message(first_reason), hint(first_reason)});
  return exit_code > 2 ? exit_code : 2;
}

}  // namespace flyball::cli
