// Any text parses or is refused with a message; what parses is the same after it is written again.
#include "base/csv.h"

#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto csv = flyball::parse_csv(text, "fuzz");
  if (!csv.ok()) {
    if (csv.error().message.empty()) std::abort();
    return 0;
  }
  std::string written = flyball::csv_line(csv->header);
  for (const auto& row : csv->rows) written += flyball::csv_line(row);
  const auto again = flyball::parse_csv(written, "fuzz");
  if (!again.ok() || again->header != csv->header || again->rows != csv->rows) std::abort();
  for (size_t row = 0; row < csv->rows.size(); ++row)
    for (size_t column = 0; column < csv->header.size(); ++column)
      if (const auto number = csv->number(row, column);
          !number.ok() && number.error().message.find('\n') != std::string::npos)
        std::abort();
  return 0;
}
