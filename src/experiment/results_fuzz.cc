// Any text is a results file whose whole lines are runs, or is refused by file and line.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "experiment/results.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  size_t good = 0;
  const auto runs = flyball::parse_results(text, "results.jsonl", good);
  if (good > size) std::abort();
  if (!runs.ok() && runs.error().message.find("results.jsonl:") != 0) std::abort();
  return 0;
}
