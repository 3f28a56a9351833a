// The first lines are clauses of --map, up to an empty one; the rest is a foreign table.
#include "space/import_map.h"

#include <cstdint>
#include <cstdlib>

#include "base/text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t end = text.find("\n\n");
  if (end == std::string_view::npos) return 0;
  const auto map = flyball::parse_import_map(flyball::split(text.substr(0, end), '\n'));
  if (!map.ok()) {
    if (map.error().hint.empty()) std::abort();
    return 0;
  }
  const auto csv = flyball::parse_csv(text.substr(end + 2), "fuzz");
  if (!csv.ok()) return 0;
  const auto imported = flyball::import_table(*csv, *map);
  if (imported.ok() ? imported->table.workloads.empty() : imported.error().message.empty())
    std::abort();
  return 0;
}
