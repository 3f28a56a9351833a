// Measured tables by file name, as the commands take them.
#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <vector>

#include "problem/paper.h"
#include "space/table.h"
#include "store/reference_folder.h"

namespace flyball::cli {

/// write_or_print() of tables.
Status write_or_print(const std::string& file, const std::vector<WorkloadTable>& tables,
                      bool quiet = false);

/// `--accept simulated,predicted`: what counts as a measurement besides what was measured.
void add_accept_option(CLI::App& command, Accepted& accepted);

/// One workload of a file, its measured and accepted rows; `workload` may be "" where the file
/// holds one only.
Result<WorkloadTable> read_workload(const std::string& path, const std::string& workload,
                                    const std::string& phase, Accepted accepted);
/// The same of "FILE.csv" or "FILE.csv:WORKLOAD", in this phase.
Result<WorkloadTable> read_role(const std::string& spec, Phase phase, Accepted accepted);
/// Are there as many --train and --infer as this kind of problem has? `who` asks: "plan training".
Status check_roles(const std::string& who, ProblemKind kind, size_t trains, size_t infers,
                   const std::string& hint);
/// All workloads of these files, likewise.
Result<std::vector<WorkloadTable>> read_references(const std::vector<std::string>& paths,
                                                   Accepted accepted);
/// Those that the user keeps; one that does not read is told of on stderr.
Result<KeptReferences> kept_references();
/// Those that were named, and with `kept` those that the user keeps for this board; but those that
/// give a table away that is searched, which is told on stderr.
Result<std::vector<WorkloadTable>> gather_references(
    const std::vector<std::string>& paths, const std::string& device, bool kept, Accepted accepted,
    std::span<const WorkloadTable* const> searched = {});
/// The measured and accepted rows; an error when there are none. How many were left out is told on
/// stderr.
Result<WorkloadTable> measured_part(const WorkloadTable& table, const std::string& path,
                                    Accepted accepted);

}  // namespace flyball::cli
