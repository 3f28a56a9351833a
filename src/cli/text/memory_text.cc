#include "cli/text/memory_text.h"

#include <fmt/format.h>

#include "base/json.h"
#include "cli/output.h"

namespace flyball::cli {
namespace {

std::string megabytes(double bytes) {
  return number(bytes * 1e-6) + " MB";
}

}  // namespace

std::string memory_text(const MemoryAnswer& answer) {
  const MemoryUse peak = answer.network.model.peak(answer.batch_size);
  std::string parts;
  for (const MemoryPart part : memory_parts)
    if (peak[part] > 0)
      parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", memory_part_name(part),
                           megabytes(peak[part]));
  std::string text = fmt::format(
      "peak memory {}: {}\n"
      "kept by the process: {}, and {} for each minibatch ahead\n"
      "memory: steps of {:.0f} and {:.0f} samples were measured, {} is a line through each {}\n",
      megabytes(peak.total()), parts, megabytes(answer.network.model.kept(answer.batch_size)),
      megabytes(answer.minibatch_bytes()), answer.network.model.smaller().batch_size,
      answer.network.model.larger().batch_size, answer.batch_size,
      answer.network.model.by_block() ? "block" : "part of the peak");
  if (!answer.room) return text;
  const int64_t largest = answer.network.largest_batch(answer.room->bytes);
  text += fmt::format("{} in {} ({} left for it); the largest batch that fits: {}\n",
                      answer.needed() <= answer.room->bytes ? "fits" : "DOES NOT FIT",
                      answer.room->what, megabytes(answer.room->bytes),
                      largest == 0 ? "none" : fmt::format("{}", largest));
  for (const std::string& source : answer.room->sources) text += fmt::format("note: {}\n", source);
  return text;
}

void add_memory_json(Json& document, const MemoryAnswer& answer) {
  const MemoryUse peak = answer.network.model.peak(answer.batch_size);
  Json memory;
  for (const MemoryPart part : memory_parts) memory[memory_part_name(part)] = peak[part];
  memory["kept_bytes"] = answer.network.model.kept(answer.batch_size);
  memory["minibatch_bytes"] = answer.minibatch_bytes();
  memory["measured_at"] = {answer.network.model.smaller().batch_size,
                           answer.network.model.larger().batch_size};
  memory["by_block"] = answer.network.model.by_block();
  document["peak_memory_bytes"] = peak.total();
  document["memory"] = std::move(memory);
  if (!answer.room) return;
  document["fit"] = {{"what", answer.room->what},
                     {"available_bytes", answer.room->bytes},
                     {"needed_bytes", answer.needed()},
                     {"fits", answer.needed() <= answer.room->bytes},
                     {"largest_batch", answer.network.largest_batch(answer.room->bytes)},
                     {"sources", answer.room->sources}};
}

}  // namespace flyball::cli
