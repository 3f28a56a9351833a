// Any text is an experiment whose runs can be listed, or is refused with a line.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "experiment/spec.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto spec =
      flyball::parse_experiment({reinterpret_cast<const char*>(data), size}, "x.toml");
  if (!spec.ok()) {
    if (!spec.error().message.starts_with("x.toml:")) std::abort();
    return 0;
  }
  const auto runs = spec->runs();
  if (runs.empty() || runs.size() > 4096) std::abort();
  for (const flyball::RunSettings& run : runs)
    if (run.batch_size < 1 || run.workers < 0 || run.epochs < 1) std::abort();
  return 0;
}
