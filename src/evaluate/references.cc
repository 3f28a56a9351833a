#include "evaluate/references.h"

#include "space/table_hash.h"

namespace flyball {

std::vector<WorkloadTable> references_for(const WorkloadTable& target,
                                          const std::vector<WorkloadTable>& references) {
  std::vector<WorkloadTable> others;
  for (const WorkloadTable& reference : references)
    if (reference.title() != target.title()) others.push_back(reference);
  return others;
}

bool gives_away(const WorkloadTable& reference, const WorkloadTable& searched) {
  if (content_hash(reference) == content_hash(searched)) return true;
  if (reference.title() != searched.title()) return false;
  const WorkloadTable known = merge_repeats(reference), asked = merge_repeats(searched);
  for (size_t row = 0; row < asked.size(); ++row) {
    const auto values = known.space.to_row(asked.space.settings(row));
    if (!values) return false;
    const auto same = known.space.find(*values);
    if (!same || known.minibatch_ms[*same] != asked.minibatch_ms[row]) return false;
  }
  return true;
}

}  // namespace flyball
