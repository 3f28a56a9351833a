#include "cli/tables.h"

#include <fmt/format.h>

#include <optional>

#include "store/references.h"

namespace flyball::cli {

namespace {

/// The named workload, or the only one (of that phase, when it is given).
Result<WorkloadTable> choose(const std::string& path, const std::string& workload,
                             std::optional<Phase> phase, const std::string& how) {
  FLYBALL_ASSIGN(const Table table, read_table(path));
  if (!workload.empty()) {
    auto found = table.find(workload, phase);
    if (found) return measured_part(**found, path);
    Error error = found.error();
    error.code = Code::invalid_argument;
    return error;
  }
  const WorkloadTable* only = nullptr;
  for (const WorkloadTable& one : table.workloads) {
    if (phase && one.phase != *phase) continue;
    if (only)
      return Error{Code::invalid_argument,
                   fmt::format("{} holds several workloads{}", path,
                               phase ? fmt::format(" in phase {}", phase_name(*phase)) : ""),
                   how + ", such as " + only->workload};
    only = &one;
  }
  if (only) return measured_part(*only, path);
  return Error{Code::invalid_argument,
               fmt::format("{} holds no workload in phase {}", path, phase_name(*phase)),
               "training tables go with trainings, inference tables with inferences"};
}

}  // namespace

Result<WorkloadTable> read_workload(const std::string& path, const std::string& workload,
                                    const std::string& phase) {
  std::optional<Phase> wanted;
  if (!phase.empty()) {
    FLYBALL_ASSIGN(wanted, parse_phase(phase));
  }
  return choose(path, workload, wanted, "say which with --workload");
}

Result<WorkloadTable> read_role(const std::string& spec, Phase phase) {
  const size_t colon = spec.rfind(".csv:");
  const bool named = colon != std::string::npos;
  return choose(named ? spec.substr(0, colon + 4) : spec, named ? spec.substr(colon + 5) : "",
                phase, "say which, as in FILE.csv:WORKLOAD");
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

Result<std::vector<WorkloadTable>> gather_references(const std::vector<std::string>& paths,
                                                     const std::string& device, bool kept) {
  FLYBALL_ASSIGN(auto references, read_references(paths));
  if (!kept) return references;
  FLYBALL_ASSIGN(const auto own, References(References::default_place()).of_device(device));
  references.insert(references.end(), own.begin(), own.end());
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
