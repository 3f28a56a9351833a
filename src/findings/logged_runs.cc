#include "findings/logged_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "base/lower.h"
#include "base/text.h"
#include "compare/compared_network.h"
#include "space/logger_table.h"
#include "space/published_names.h"
#include "twin/board.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

constexpr double batch_size = 16;
constexpr double clock_tolerance = 0.02;  ///< of a mode that a study names by round figures

constexpr double least_covered = 0.5;  ///< of an epoch, by readings of power and load

/// Watts of the readings in a stretch of the run, each since the one before; nothing without any.
void add_power(const LoggerRun& run, double begin_s, double end_s, EpochFigures& epoch) {
  double joules = 0, seconds = 0, busy = 0, last_s = begin_s;
  size_t loads = 0;
  for (const LoggedPower& reading : run.power) {
    if (reading.time_s <= begin_s || reading.time_s > end_s) continue;
    joules += reading.power_w * (reading.time_s - last_s);
    seconds += reading.time_s - last_s;
    last_s = reading.time_s;
    if (reading.gpu_busy) busy += *reading.gpu_busy, ++loads;
  }
  if (!(seconds >= least_covered * (end_s - begin_s))) return;
  if (loads > 0) epoch.gpu_load_pct = busy / static_cast<double>(loads);
  epoch.power_w = joules / seconds;
  epoch.energy_j = *epoch.power_w * epoch.e2e_s;
}

void add_cache(const LoggerRun& run, double begin_s, EpochFigures& epoch) {
  for (const LoggedCache& reading : run.cache)
    if (reading.time_s <= begin_s && reading.cached) epoch.cached_before = reading.cached;
}

/// A sum in which one is not known is none.
void add(double& sum, const std::optional<double>& ms) {
  sum += ms ? *ms * 1e-3 : std::numeric_limits<double>::quiet_NaN();
}

EpochFigures epoch_of(const LoggerRun& run, std::span<const LoggedMinibatch> minibatches) {
  EpochFigures epoch;
  epoch.epoch = static_cast<int>(minibatches.front().epoch);
  for (const LoggedMinibatch& one : minibatches) {
    epoch.e2e_s += one.minibatch_ms * 1e-3;
    add(epoch.stall_s, one.fetch_ms);
    add(epoch.compute_s, one.compute_ms);
  }
  epoch.overhead_s = epoch.e2e_s - epoch.stall_s - epoch.compute_s;
  epoch.minibatches = static_cast<int64_t>(minibatches.size());
  epoch.samples = epoch.minibatches * static_cast<int64_t>(batch_size);
  const double begin_s = minibatches.front().end_s - minibatches.front().minibatch_ms * 1e-3;
  add_power(run, begin_s, minibatches.back().end_s, epoch);
  add_cache(run, begin_s, epoch);
  return epoch;
}

RunFigures figures_of(const LoggerRun& run) {
  RunFigures figures;
  figures.settings.batch_size = static_cast<int64_t>(batch_size);
  if (run.workers) figures.settings.workers = static_cast<int>(*run.workers);
  if (run.power.empty()) figures.power_gap = "its logs have no power";
  const std::span<const LoggedMinibatch> all(run.minibatches);
  for (size_t begin = 0; begin < all.size();) {
    size_t end = begin;
    while (end < all.size() && all[end].epoch == all[begin].epoch) ++end;
    figures.epochs.push_back(epoch_of(run, all.subspan(begin, end - begin)));
    begin = end;
  }
  return figures;
}

struct Logged {
  std::string workload;
  std::optional<int64_t> workers{};  ///< nothing: the files' names do not say
  PowerMode mode{};
  RunFigures figures{};
};

bool is_below(const PowerMode& a, const PowerMode& b) {
  return std::ranges::any_of(a.values, [&](const auto& one) {
    const auto other = b.values.find(one.first);
    return other != b.values.end() && one.second < other->second;
  });
}

bool is_near(const PowerMode& a, const PowerMode& b) {
  return a.values.size() == b.values.size() && std::ranges::all_of(a.values, [&](const auto& one) {
           const auto other = b.values.find(one.first);
           return other != b.values.end() &&
                  std::abs(other->second - one.second) <= clock_tolerance * one.second;
         });
}

class LoggedRuns final : public RunSource {
 public:
  LoggedRuns(const PublishedStudy& study, std::string board)
      : study_(study), board_(std::move(board)) {}

  /// Epochs of runs in one setting count together.
  void add(Logged run) {
    for (Logged& one : runs_)
      if (one.workload == run.workload && one.workers == run.workers &&
          is_near(one.mode, run.mode)) {
        std::ranges::move(run.figures.epochs, std::back_inserter(one.figures.epochs));
        return;
      }
    runs_.push_back(std::move(run));
  }

  void count_cut(size_t lines) { cut_ += lines; }

  std::string board() const override { return board_; }
  Provenance provenance() const override { return Provenance::measured; }
  std::string usual_mode() const override { return ""; }
  std::vector<std::string> notes() const override {
    if (cut_ == 0) return {};
    return {fmt::format("{} log{} of {} end{} within a line, which is left out", cut_,
                        cut_ == 1 ? "" : "s", board_, cut_ == 1 ? "s" : "")};
  }

  Result<RunFigures> run(const FindingSetting& setting) override {
    if (!setting.state.empty() || setting.dropped || setting.governors ||
        setting.batch != batch_size || asks_other_storage(study_, setting))
      return not_logged(setting);
    for (const Logged& one : runs_)
      if (one.workload == setting.workload && one.workers &&
          static_cast<double>(*one.workers) == setting.workers && is_in_mode(one, setting))
        return one.figures;
    return not_logged(setting);
  }

  Result<bool> fits(const std::string&) override {
    return Error{Code::unavailable, "logs do not tell what does not fit", ""};
  }

 private:
  Error not_logged(const FindingSetting& setting) const {
    // What a board draws while nothing trains is of no network.
    if (setting.workload.empty())
      return {Code::unavailable, "there are no logs of a board that does nothing", ""};
    return {Code::unavailable,
            fmt::format("there are no logs of {} with {:g} workers and batch size {:g}{}",
                        setting.workload, setting.workers, setting.batch,
                        (setting.mode.empty() ? "" : " in mode " + setting.mode) +
                            (setting.dropped ? ", its page cache dropped" : "") +
                            (setting.governors ? ", its clocks free" : "") +
                            (asks_other_storage(study_, setting)
                                 ? ", its data on another storage (" + setting.storage + ")"
                                 : "") +
                            (setting.state.empty() ? "" : ", of a board at rest")),
            ""};
  }

  /// The usual mode of logs is the one that most of a network's are of.
  PowerMode usual(const std::string& workload) const {
    std::map<std::map<std::string, double>, size_t> counts;
    for (const Logged& one : runs_)
      if (one.workload == workload) ++counts[{one.mode.values.begin(), one.mode.values.end()}];
    PowerMode most;
    const auto found = std::ranges::max_element(
        counts, {}, [](const auto& one) { return std::pair(one.second, one.first); });
    if (found != counts.end()) most.values.insert(found->first.begin(), found->first.end());
    return most;
  }

  /// On every axis, of all logs of the network.
  bool is_highest(const Logged& run) const {
    return std::ranges::none_of(runs_, [&](const Logged& other) {
      return other.workload == run.workload && is_below(run.mode, other.mode);
    });
  }

  bool is_in_mode(const Logged& one, const FindingSetting& setting) const {
    if (setting.mode.empty()) return is_near(usual(one.workload), one.mode);
    const auto named = study_.modes.find(setting.mode);
    if (named == study_.modes.end() || one.mode.values.empty()) return false;
    return named->second.values.empty() ? is_highest(one) : is_near(named->second, one.mode);
  }

  const PublishedStudy& study_;
  std::string board_;
  std::vector<Logged> runs_;
  size_t cut_ = 0;  ///< lines that were left out
};

bool holds_logs(const fs::path& folder) {
  std::error_code problem;
  return std::ranges::any_of(fs::directory_iterator(folder, problem), [](const auto& entry) {
    return lower(entry.path().filename().string()).ends_with("_epoch_stats.csv");
  });
}

/// Sorted: the same folders give the same runs.
Result<std::vector<fs::path>> folders_of_logs(const fs::path& root) {
  std::vector<fs::path> found;
  std::error_code problem;
  if (!fs::is_directory(root, problem))
    return Error{Code::not_found, fmt::format("there is no folder {}", root.string()),
                 "name folders with the logs of public experiments (docs/study.md)"};
  if (holds_logs(root)) found.push_back(root);
  fs::recursive_directory_iterator entry(root, fs::directory_options::skip_permission_denied,
                                         problem);
  for (; !problem && entry != fs::recursive_directory_iterator(); entry.increment(problem)) {
    std::error_code unread;
    if (entry->is_directory(unread) && holds_logs(entry->path())) found.push_back(entry->path());
  }
  std::ranges::sort(found);
  if (!found.empty()) return found;
  return Error{Code::not_found, fmt::format("{} has no logs", root.string()),
               "name folders that hold files *_epoch_stats.csv, or a folder above them"};
}

/// "" is none.
Status check_known(const std::string& board) {
  const std::vector<std::string> known = twin_boards();
  if (board.empty() || std::ranges::find(known, board) != known.end()) return {};
  return Error{Code::invalid_argument, fmt::format("--board: no finding knows '{}'", board),
               name_hint(board, known)};
}

}  // namespace

Result<std::vector<std::unique_ptr<RunSource>>> logged_runs(const PublishedStudy& study,
                                                            const std::vector<fs::path>& folders,
                                                            const std::string& board) {
  FLYBALL_CHECK(check_known(board));
  std::map<std::string, std::unique_ptr<LoggedRuns>> boards;
  for (const fs::path& root : folders) {
    FLYBALL_ASSIGN(const auto found, folders_of_logs(root));
    for (const fs::path& folder : found) {
      const fs::path whole = fs::absolute(folder).lexically_normal();
      std::string name = published_board(whole);
      if (name.empty()) name = board;
      const std::string network = canonical_network(published_network(whole, Phase::train));
      if (name.empty() || network.empty())
        return Error{Code::invalid_argument,
                     fmt::format("{}: the names of its folders do not say which {} it is",
                                 folder.string(), name.empty() ? "board" : "network"),
                     name.empty() ? "say it: --board NAME"
                                  : "put it below a folder named by the network, such as MobNet"};
      auto& runs = boards[name];
      if (!runs) runs = std::make_unique<LoggedRuns>(study, name);
      const auto read = read_logger_folder(folder);
      if (!read && read.error().code == Code::unavailable) continue;  // ended before a minibatch
      if (!read) return read.error();
      for (const LoggerRun& run : *read) {
        runs->count_cut(run.cut_lines);
        runs->add(
            {network, run.workers, logged_mode(folder).value_or(PowerMode()), figures_of(run)});
      }
    }
  }
  std::vector<std::unique_ptr<RunSource>> sources;
  for (auto& [name, runs] : boards) sources.push_back(std::move(runs));
  return sources;
}

}  // namespace flyball
