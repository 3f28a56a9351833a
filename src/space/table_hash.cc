#include "space/table_hash.h"

#include <fmt/format.h>

#include <bit>

#include "base/os/file_version.h"

namespace flyball {

uint64_t content_hash(const WorkloadTable& table) {
  ContentHash hash;
  const auto take = [&](std::span<const double> values) {
    for (double value : values) hash.mix_word(std::bit_cast<uint64_t>(value));
  };
  const auto name = [&](const std::string& text) {
    hash.mix_word(text.size());
    hash.mix(text);
  };
  for (const Axis& axis : table.space.axes()) {
    name(axis.name);
    hash.mix_word(static_cast<uint64_t>(axis.scope));
  }
  name(table.power_total);
  take(table.space.values());
  take(table.minibatch_ms);
  take(table.power_w);
  for (Provenance known : table.provenance) hash.mix_word(static_cast<uint64_t>(known));
  return hash.value();
}

std::string table_fingerprint(const WorkloadTable& table) {
  return fmt::format("table of {}, {} rows, content {:016x}", table.title(), table.size(),
                     content_hash(table));
}

}  // namespace flyball
