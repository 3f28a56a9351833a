// Any text is lines of runs, or is refused by name and line.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "experiment/run_lines.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto runs = flyball::parse_run_lines(text, "results.jsonl");
  if (!runs.ok() && runs.error().message.find("results.jsonl:") != 0) std::abort();
  return 0;
}
