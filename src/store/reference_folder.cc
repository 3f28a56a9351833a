#include "store/reference_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "base/files.h"
#include "base/os/places.h"
#include "base/text.h"
#include "cost/tabled_networks.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

Status check_name(const std::string& name) {
  const bool fine =
      !name.empty() && name.front() != '.' && std::ranges::all_of(name, [](unsigned char c) {
        return std::isalnum(c) || c == '.' || c == '_' || c == '-';
      });
  if (fine) return {};
  return Error{Code::invalid_argument, fmt::format("'{}' is not a name for a reference", name),
               "use letters, digits, '.', '_' and '-'; --name gives another one"};
}

}  // namespace

fs::path ReferenceFolder::default_place() {
  const char* named = std::getenv("FLYBALL_REFERENCES");
  return named && *named ? fs::path(named) : data_folder() / "references";
}

fs::path ReferenceFolder::file_of(const std::string& name) const {
  return folder_ / (name + ".csv");
}

Result<KeptReferences> ReferenceFolder::list() const {
  std::error_code missing;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder_, missing))
    if (entry.path().extension() == ".csv") files.push_back(entry.path());
  if (missing && missing != std::errc::no_such_file_or_directory)
    return file_error("list", folder_, missing.value());
  std::ranges::sort(files);
  KeptReferences references;
  for (const fs::path& file : files) {
    const std::string name = file.stem().string();
    if (auto table = read_table(file))
      references.tables.push_back({name, *std::move(table)});
    else
      references.unread.push_back({table.error().code, table.error().message,
                                   fmt::format("`flyball reference remove {}` drops it", name)});
  }
  return references;
}

Result<size_t> ReferenceFolder::add(const Table& table, const std::string& name) const {
  FLYBALL_CHECK(check_name(name));
  std::error_code ignored;
  if (fs::exists(file_of(name), ignored))
    return Error{Code::conflict, fmt::format("there is a reference '{}' already", name),
                 "remove it first, or give another --name"};
  size_t dropped = 0;
  std::vector<WorkloadTable> kept;
  for (const WorkloadTable& workload : table.workloads) {
    WorkloadTable known = accepted_rows(workload, {.simulated = true}, dropped);
    if (known.size() > 0) kept.push_back(std::move(known));
  }
  if (kept.empty())
    return Error{Code::invalid_argument,
                 fmt::format("every row of {} was predicted, none measured", table.name),
                 "a reference needs measurements"};
  FLYBALL_CHECK(write_file(file_of(name), format_table(kept)));
  return dropped;
}

Status ReferenceFolder::remove(const std::string& name) const {
  FLYBALL_CHECK(check_name(name));
  std::error_code failed;
  if (fs::remove(file_of(name), failed)) return {};
  if (failed) return file_error("cannot remove", file_of(name), failed.value());
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder_, failed))
    names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return Error{Code::not_found, fmt::format("there is no reference '{}'", name),
               name_hint(name, names, names.empty() ? "there are none" : "")};
}

std::vector<WorkloadTable> KeptReferences::of_device(const std::string& device,
                                                     Accepted accepted) const {
  std::vector<WorkloadTable> found;
  size_t left_out = 0;
  for (const KeptReference& reference : tables)
    for (const WorkloadTable& workload : reference.table.workloads) {
      if (workload.device != device) continue;
      WorkloadTable known = accepted_rows(workload, accepted, left_out);
      if (!known.cost) known.cost = tabled_cost(known.workload, known.phase);  // no file holds it
      if (known.size() > 0) found.push_back(std::move(known));
    }
  return found;
}

}  // namespace flyball
