#include "cli/table_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/files.h"
#include "cli/tables.h"

namespace flyball::cli {

Result<std::vector<WorkloadTable>> read_table_folder(const std::string& folder,
                                                     std::optional<Phase> phase,
                                                     Accepted accepted) {
  std::error_code failed;
  std::vector<std::filesystem::path> files;
  for (std::filesystem::directory_iterator it(folder, failed), end; !failed && it != end;
       it.increment(failed))
    if (it->path().extension() == ".csv") files.push_back(it->path());
  if (failed) {
    Error error = file_error("read the folder", folder, failed.value());
    error.hint =
        "name a folder of tables; `flyball evaluate search` takes one table by --train or --infer";
    return error;
  }
  std::ranges::sort(files);
  std::vector<WorkloadTable> tables;
  for (const auto& path : files) {
    const auto table = read_table(path);
    if (!table) {
      fmt::print(stderr, "note: no table, left out: {}\n", table.error().message);
      continue;
    }
    for (const WorkloadTable& one : table->workloads) {
      if (phase && one.phase != *phase) continue;
      FLYBALL_ASSIGN(WorkloadTable part, measured_part(one, path.string(), accepted));
      tables.push_back(std::move(part));
    }
  }
  if (!tables.empty()) return tables;
  return Error{Code::not_found,
               phase ? fmt::format("{} holds no table of phase {}", folder, phase_name(*phase))
                     : fmt::format("{} holds no table", folder),
               "flyball twin population --out DIR writes some"};
}

}  // namespace flyball::cli
