#include "cli/report_left.h"

#include <atomic>

#include "cli/output.h"

namespace flyball::cli {
namespace {

std::atomic<bool> left = false;

}  // namespace

void report_left(const Error& error) {
  left.store(true);
  report_error(error);
}

bool something_left() {
  return left.load();
}

}  // namespace flyball::cli
