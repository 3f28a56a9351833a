#include "cli/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "cli/checks.h"
#include "cli/output.h"
#include "cost/tabled_networks.h"
#include "evaluate/references.h"
#include "space/named_source.h"

namespace flyball::cli {

namespace {

std::string kinds_left_out(const WorkloadTable& table, Accepted accepted,
                           const std::string& separator = " or ") {
  std::vector<std::string> kinds;
  for (const Provenance kind : {Provenance::simulated, Provenance::predicted})
    if (!accepted(kind) && std::ranges::find(table.provenance, kind) != table.provenance.end())
      kinds.emplace_back(provenance_name(kind));
  return join(kinds, separator);
}

/// The named workload, or the only one (of that phase, when it is given).
Result<WorkloadTable> choose(const std::string& path, const std::string& workload,
                             std::optional<Phase> phase, const std::string& how,
                             Accepted accepted) {
  FLYBALL_ASSIGN(const Table table, read_table(path));
  if (!workload.empty()) {
    auto found = table.find(workload, phase);
    if (found) return measured_part(**found, path, accepted);
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
  if (only) return measured_part(*only, path, accepted);
  return Error{Code::invalid_argument,
               fmt::format("{} holds no workload in phase {}", path, phase_name(*phase)),
               "training tables go with trainings, inference tables with inferences"};
}

}  // namespace

Result<WorkloadTable> read_workload(const std::string& path, const std::string& workload,
                                    const std::string& phase, Accepted accepted) {
  std::optional<Phase> wanted;
  if (!phase.empty()) {
    FLYBALL_ASSIGN(wanted, parse_phase(phase));
  }
  return choose(path, workload, wanted, "say which with --workload", accepted);
}

Result<WorkloadTable> read_role(const std::string& spec, Phase phase, Accepted accepted) {
  const NamedSource source = read_source(spec);
  return choose(source.name, source.workload, phase, "say which, as in FILE.csv:WORKLOAD",
                accepted);
}

Status check_roles(const std::string& who, ProblemKind kind, size_t trains, size_t infers,
                   const std::string& hint) {
  static constexpr const char* counts[] = {"no", "one", "two"};
  const size_t trained = kind == ProblemKind::training || kind == ProblemKind::concurrent ? 1 : 0;
  const size_t served = kind == ProblemKind::training        ? 0
                        : kind == ProblemKind::two_inference ? 2
                                                             : 1;
  if (trains == trained && infers == served) return {};
  std::string wanted = fmt::format("{} --infer", counts[served]);
  if (trained > 0)
    wanted = "one --train" + (served > 0 ? " and " + wanted : "");
  else if (trains > 0)
    wanted += " and no --train";
  if (served == 0 && infers > 0) wanted += " and no --infer";
  return Error{Code::invalid_argument, fmt::format("{} takes {}", who, wanted), hint};
}

Result<std::vector<WorkloadTable>> read_references(const std::vector<std::string>& paths,
                                                   Accepted accepted) {
  std::vector<WorkloadTable> references;
  for (const std::string& path : paths) {
    FLYBALL_ASSIGN(const Table table, read_table(path));
    for (const WorkloadTable& workload : table.workloads) {
      FLYBALL_ASSIGN(WorkloadTable known, measured_part(workload, path, accepted));
      references.push_back(std::move(known));
    }
  }
  return references;
}

Result<KeptReferences> kept_references() {
  FLYBALL_ASSIGN(KeptReferences all, ReferenceFolder(ReferenceFolder::default_place()).list());
  for (const Error& unread : all.unread)
    fmt::print(stderr, "note: left out: {}; {}\n", unread.message, unread.hint);
  return all;
}

Result<std::vector<WorkloadTable>> gather_references(
    const std::vector<std::string>& paths, const std::string& device, bool kept, Accepted accepted,
    std::span<const WorkloadTable* const> searched) {
  FLYBALL_ASSIGN(auto references, read_references(paths, accepted));
  if (kept) {
    FLYBALL_ASSIGN(const KeptReferences all, kept_references());
    const std::vector<WorkloadTable> own = all.of_device(device, accepted);
    references.insert(references.end(), own.begin(), own.end());
  }
  for (const WorkloadTable* table : searched) {
    const size_t left_out = std::erase_if(
        references, [&](const WorkloadTable& reference) { return gives_away(reference, *table); });
    if (left_out > 0)
      fmt::print(stderr, "note: {} is searched, and is no reference for itself\n", table->title());
  }
  return references;
}

Result<WorkloadTable> measured_part(const WorkloadTable& table, const std::string& path,
                                    Accepted accepted) {
  size_t left_out = 0;
  WorkloadTable known = accepted_rows(table, accepted, left_out);
  if (!known.cost) known.cost = tabled_cost(known.workload, known.phase);  // no file holds it
  if (left_out == 0) return known;
  const std::string kinds = kinds_left_out(table, accepted);
  if (known.size() == 0)
    return Error{
        Code::invalid_argument,
        fmt::format("{}: every row of {} was {}, none measured", path, table.title(), kinds),
        fmt::format("give a table of measurements; --accept {} takes these for such",
                    kinds_left_out(table, accepted, ","))};
  fmt::print(stderr, "note: {} {} rows of {} in {} are left out (--accept takes them)\n", left_out,
             kinds, table.title(), path);
  return known;
}

Status write_or_print(const std::string& file, const std::vector<WorkloadTable>& tables,
                      bool quiet) {
  size_t rows = 0;
  for (const WorkloadTable& table : tables) rows += table.size();
  return write_or_print(file, format_table(tables), rows, quiet);
}

void add_accept_option(CLI::App& command, Accepted& accepted) {
  const auto take = [&accepted](const std::vector<std::string>& kinds) {
    for (const std::string& kind : kinds) {
      accepted.simulated = accepted.simulated || kind == provenance_name(Provenance::simulated);
      accepted.predicted = accepted.predicted || kind == provenance_name(Provenance::predicted);
    }
  };
  takes_one_of(command.add_option_function<std::vector<std::string>>(
                   "--accept", take, "Count these rows as measurements, too"),
               {"simulated", "predicted"})
      ->delimiter(',')
      ->check(CLI::Validator(
          [](const std::string& kind) {
            for (const Provenance known : {Provenance::simulated, Provenance::predicted})
              if (kind == provenance_name(known)) return std::string();
            return fmt::format("'{}' is not simulated or predicted", kind);
          },
          ""));
}

}  // namespace flyball::cli
