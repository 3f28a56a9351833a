// Any text is defaults of options, or is refused with a line.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "cli/line/configuration.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto values =
      flyball::cli::parse_configuration({reinterpret_cast<const char*>(data), size}, "x.toml");
  if (!values.ok()) {
    if (!values.error().message.starts_with("x.toml:")) std::abort();
    return 0;
  }
  for (const flyball::cli::ConfiguredValue& value : *values)
    if (value.values.empty() || value.line < 1) std::abort();
  return 0;
}
