#include "cli/tables.h"

namespace flyball::cli {

Result<WorkloadTable> read_workload(const std::string& path, const std::string& workload,
                                    const std::string& phase) {
  FLYBALL_ASSIGN(const Table table, read_table(path));
  std::optional<Phase> wanted;
  if (!phase.empty()) {
    FLYBALL_ASSIGN(wanted, parse_phase(phase));
  }
  const auto found = workload.empty() ? table.only() : table.find(workload, wanted);
  if (!found) {
    Error error = found.error();
    if (workload.empty() && error.code == Code::invalid_argument)
      error.hint += "; say which with --workload";
    error.code = Code::invalid_argument;
    return error;
  }
  return measured_part(**found, path);
}

Result<std::vector<WorkloadTable>> read_references(const std::vector<std::string>& paths) {
  std::vector<WorkloadTable> references;
  for (const std::string& path : paths) {
    FLYBALL_ASSIGN(const Table table, read_table(path));
    for (const WorkloadTable& workload : table.workloads) {
      FLYBALL_ASSIGN(WorkloadTable known, measured_part(workload, path));
      references.push_back(std::move(known));
    }
  }
  return references;
}

Result<WorkloadTable> measured_part(const WorkloadTable& table, const std::string& path) {
  size_t predicted = 0;
  WorkloadTable known = without_predicted(table, predicted);
  if (known.size() == 0)
    return Error{Code::invalid_argument,
                 path + ": every row of " + table.title() + " was predicted, none measured",
                 "give a table of measurements"};
  return known;
}

}  // namespace flyball::cli
