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

Error output_error() {
  return {Code::io, message(first_reason), hint(first_reason)};
}

bool output_failed() {
  return std::ferror(stdout) != 0 || first_reason != 0;
}

}  // namespace

Status write_output(std::string_view text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() && first_reason == 0)
    first_reason = errno;
  flush_output();
  return output_failed() ? Status(output_error()) : Status();
}

bool is_output_error(const Error& error) {
  return output_failed() && error.code == Code::io && error.message == message(first_reason);
}

int finish_output(int exit_code, int reason) {
  if (first_reason == 0) first_reason = reason;
  flush_output();
  if (!output_failed()) return exit_code;
  // As if the signal of a broken pipe, which somebody has switched off, had ended us.
  if (first_reason == EPIPE) return 141;
  report_error(output_error());
  return exit_code > 2 ? exit_code : 2;
}

}  // namespace flyball::cli
