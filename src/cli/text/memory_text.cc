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
      "memory: steps of {:.0f} and {:.0f} samples were measured by one thread (more hold a little "
      "more), {} is a line through each {}\n",
      megabytes(peak.total()), parts, megabytes(answer.network.model.kept(answer.batch_size)),
      megabytes(answer.minibatch_bytes()), answer.network.model.smaller().batch_size,
      answer.network.model.larger().batch_size, answer.batch_size,
      answer.network.model.by_block() ? "block" : "part of the peak");
  if (!answer.verdict) return text;
  const MemoryVerdict& verdict = *answer.verdict;
  const MemoryNeed& need = verdict.need;
  text += fmt::format("{} in {}: {} {}; the largest batch that fits: {}\n",
                      need.fits() ? "fits" : "DOES NOT FIT", verdict.what, verdict.who, need.text(),
                      need.largest_batch == 0 ? "none" : fmt::format("{}", need.largest_batch));
  for (const std::string& source : verdict.sources) text += fmt::format("note: {}\n", source);
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
  if (!answer.verdict) return;
  const MemoryNeed& need = answer.verdict->need;
  document["fit"] = {
      {"what", answer.verdict->what},        {"available_bytes", need.available_bytes},
      {"needed_bytes", need.needed_bytes},   {"fits", need.fits()},
      {"largest_batch", need.largest_batch}, {"sources", answer.verdict->sources}};
}

}  // namespace flyball::cli
