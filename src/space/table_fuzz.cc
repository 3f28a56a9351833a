// Any CSV is a table or is refused; a table is the same after it is written and read again.
#include "space/table.h"

#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto csv = flyball::parse_csv(text, "fuzz");
  if (!csv.ok()) return 0;
  const auto table = flyball::parse_table(*csv);
  if (!table.ok()) {
    if (table.error().message.empty()) std::abort();
    return 0;
  }
  const std::string written = flyball::format_table(table->workloads);
  const auto again = flyball::parse_table(flyball::parse_csv(written, "again").value());
  if (!again.ok() || flyball::format_table(again->workloads) != written) std::abort();
  return 0;
}
