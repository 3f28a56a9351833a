// The doctor on boards whose files are broken, one after the other and each in every way: what does
// not hang on the file stays, what does is null or gone and a problem says so, nothing is made up.
#include "device/doctor/doctor.h"
#include "base/json.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "base/os/temp_folder.h"
#include "command_testing.h"
#include "device/host/board_trees_testing.h"
#include "schema_testing.h"

namespace flyball::testing_tools {
namespace {

using ::testing::IsEmpty;

SortedJson doctor_of(const fs::path& root) {
  DoctorOptions options;
  options.root = root;
  options.ask_kernel = false;
  SortedJson printed = SortedJson::parse(
      doctor_json(examine_machine(options), examine_board(root))
          .dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  printed["schema"] = 2;  // what each printed document begins with
  return printed;
}

// Which keys of the document a file may change; the last one that fits counts.
std::set<std::string> may_change(const std::string& file) {
  struct Rule {
    const char* part;
    std::set<std::string> keys;
  };
  const Rule rules[] = {
      {"sys/class/thermal", {"capabilities"}},
      {"proc/", {"capabilities"}},
      {"proc/cpuinfo", {"board"}},  // the name of a machine that is no board
      // Where the other one of the two says it, too, nothing changes (board_report_test.cc).
      {"device-tree/", {"board", "axes", "rails", "totals", "problems", "capabilities"}},
      {"nv_tegra_release", {"board", "problems"}},
      {"nvpmodel.conf", {"presets", "problems"}},
      {"nvpmodel/status", {"presets", "problems"}},
      {"ina3221", {"rails", "totals", "problems", "capabilities", "power_measurable"}},
      {"hwmon", {"rails", "totals", "problems", "capabilities", "power_measurable"}},
      {"/online", {"axes", "presets", "problems", "capabilities"}},
      {"cpu/present", {"axes", "problems", "capabilities"}},
      {"cpufreq/", {"axes", "presets", "problems", "capabilities"}},
      {"devfreq", {"axes", "presets", "problems", "capabilities"}},
      {"emc", {"axes", "presets", "problems", "capabilities"}},
      {"powercap", {"rails", "totals", "problems", "capabilities", "power_measurable"}},
      {"dmi/", {"capabilities"}},
      {"gpu.0/load", {"capabilities"}},
      {"fan", {"capabilities"}},
  };
  std::set<std::string> keys;
  for (const Rule& rule : rules)
    if (("/" + file).find(rule.part) != std::string::npos) keys = rule.keys;
  return keys;
}

// Every leaf of a document by its path; elements of lists by their name.
void leaves(const SortedJson& json, const std::string& path,
            std::map<std::string, SortedJson>& all) {
  if (json.is_object() && !json.empty()) {
    for (const auto& [key, value] : json.items()) leaves(value, path + "/" + key, all);
  } else if (json.is_array() && !json.empty() && json[0].is_object() && json[0].contains("name")) {
    for (const SortedJson& item : json)
      leaves(item, path + "/" + item["name"].get<std::string>(), all);
  } else {
    all[path] = json;
  }
}

// What is there in `broken` though it was not in `whole`, or says something else.
std::vector<std::string> changed_leaves(const SortedJson& whole, const SortedJson& broken) {
  std::map<std::string, SortedJson> before, now;
  leaves(whole, "", before);
  leaves(broken, "", now);
  std::vector<std::string> changed;
  for (const auto& [path, value] : before)
    if (!now.contains(path))
      changed.push_back(path + " is gone");
    else if (now[path] != value && !now[path].is_null() && now[path] != "unknown CPU")
      changed.push_back(fmt::format("{} is {}, was {}", path, now[path].dump(), value.dump()));
  return changed;
}

std::set<std::string> problems_of(const SortedJson& report) {
  std::set<std::string> all;
  for (const SortedJson& problem : report["problems"])
    all.insert(problem["what"].get<std::string>());
  return all;
}

class BrokenTree : public ::testing::TestWithParam<std::string> {
 protected:
  // In memory: hundreds of trees.
  BrokenTree()
      : folder_(fs::is_directory("/dev/shm") ? "/dev/shm" : ""),
        root_(fs::canonical(folder_.path()) / "tree") {
    trees::write_tree(GetParam(), root_);
    for (const auto& entry : fs::recursive_directory_iterator(root_))
      if (entry.is_regular_file()) files_.push_back(entry.path().lexically_relative(root_));
  }

  TempFolder folder_;
  fs::path root_;
  std::vector<fs::path> files_;
};

constexpr auto ways = {trees::Broken::unreadable, trees::Broken::empty, trees::Broken::nonsense};

TEST_P(BrokenTree, DegradesFieldByField) {
  const SortedJson whole = doctor_of(root_);
  const std::set<std::string> known = problems_of(whole);
  int different = 0;
  for (const fs::path& file : files_)
    for (const trees::Broken how : ways) {
      const std::string kept = slurp(root_ / file);
      trees::break_file(root_ / file, how);
      const SortedJson broken = doctor_of(root_);
      fs::remove(root_ / file);
      std::ofstream(root_ / file, std::ios::binary) << kept;
      const std::string where = fmt::format("{} {}", file.string(),
                                            how == trees::Broken::unreadable ? "unreadable"
                                            : how == trees::Broken::empty    ? "empty"
                                                                             : "nonsense");
      EXPECT_THAT(schema_faults("doctor", broken), IsEmpty()) << where;
      const std::set<std::string> may = may_change(file.string());
      bool said = broken == whole;
      for (const auto& [key, value] : whole.items()) {
        if (broken[key] == value) continue;
        ++different;
        EXPECT_TRUE(may.contains(key)) << where << " changed " << key << " to " << broken[key];
      }
      SortedJson fields = broken, fields_before = whole;
      for (const char* told : {"problems", "capabilities"}) {
        fields.erase(told);
        fields_before.erase(told);
      }
      const auto changed = changed_leaves(fields_before, fields);
      for (const std::string& problem : problems_of(broken)) said |= !known.contains(problem);
      EXPECT_TRUE(said || changed.empty())
          << where << " changed without a word: " << ::testing::PrintToString(changed);
    }
  EXPECT_GT(different, 0);
}

// Of each kind of damage one tree that is broken everywhere: the doctor answers all the same.
TEST_P(BrokenTree, EverythingBrokenAtOnceIsAnAnswerToo) {
  for (const trees::Broken how : ways) {
    for (const fs::path& file : files_) trees::break_file(root_ / file, how);
    const SortedJson broken = doctor_of(root_);
    EXPECT_THAT(schema_faults("doctor", broken), IsEmpty());
    EXPECT_FALSE(broken["problems"].empty());
    EXPECT_TRUE(broken["totals"]["module"].is_null());
    for (const fs::path& file : files_) {
      fs::remove(root_ / file);
      std::ofstream(root_ / file) << "";
    }
  }
}

std::vector<std::string> kinds() {
  std::vector<std::string> names;
  for (const trees::Board& board : trees::boards()) names.push_back(board.kind);
  return names;
}
INSTANTIATE_TEST_SUITE_P(All, BrokenTree, ::testing::ValuesIn(kinds()),
                         [](const auto& kind) { return kind.param; });

// As a user runs it, on a tree of each kind that is damaged in each way.
TEST_F(CommandTest, TheDoctorEndsWellOnBrokenTrees) {
  for (const std::string& kind : kinds())
    for (const trees::Broken how : ways) {
      const fs::path root = folder_ / kind;
      trees::write_tree(kind, root);
      std::vector<fs::path> files;
      for (const auto& entry : fs::recursive_directory_iterator(root))
        if (entry.is_regular_file()) files.push_back(entry.path());
      for (size_t i = 0; i < files.size(); i += 2) trees::break_file(files[i], how);
      const Finished done = run({"doctor", "--root", root.string(), "--json"});
      EXPECT_THAT(done.exit_code, ::testing::AnyOf(0, 1)) << kind << done.err;
      EXPECT_THAT(schema_faults("doctor", done.json()), IsEmpty()) << kind;
      fs::remove_all(root);
    }
}

}  // namespace
}  // namespace flyball::testing_tools
