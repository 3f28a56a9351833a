#include "evaluate/references.h"

namespace flyball {

std::vector<WorkloadTable> references_for(const WorkloadTable& target,
                                          const std::vector<WorkloadTable>& references) {
  std::vector<WorkloadTable> others;
  for (const WorkloadTable& reference : references)
    if (reference.title() != target.title()) others.push_back(reference);
  return others;
}

}  // namespace flyball
