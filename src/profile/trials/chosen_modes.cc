#include "profile/trials/chosen_modes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "base/distinct.h"
#include "base/random.h"
#include "base/text.h"
#include "problem/paper.h"
#include "profile/trials/table_profiler.h"

namespace flyball {
namespace {

// Values on the board axes, in their order in the space.
using Mode = std::vector<double>;

Mode mode_of(const Space& space, const std::vector<size_t>& axes, size_t row) {
  Mode mode;
  for (size_t d : axes) mode.push_back(space.row(row)[d]);
  return mode;
}

bool is_clock(const Axis& axis) {
  return axis.unit == "MHz";
}

// Clocks first: cores come on again without a reboot.
std::vector<size_t> descending(const Space& space) {
  std::vector<size_t> axes = space.board_axes(), order(space.size());
  std::stable_partition(axes.begin(), axes.end(),
                        [&](size_t d) { return is_clock(space.axes()[d]); });
  std::iota(order.begin(), order.end(), size_t{0});
  if (axes.empty() || !is_clock(space.axes()[axes.front()])) return order;
  std::ranges::stable_sort(
      order, [&](size_t a, size_t b) { return mode_of(space, axes, a) > mode_of(space, axes, b); });
  return order;
}

// Another profiler's configurations: some of them, in an order of their own.
class ChosenModes final : public Profiler {
 public:
  ChosenModes(std::unique_ptr<Profiler> all, std::vector<size_t> rows, KeptModes kept)
      : all_(std::move(all)),
        rows_(std::move(rows)),
        info_(all_->info()),
        space_(all_->space().subset(rows_)) {
    info_.modes = std::move(kept);
    const auto usual = std::ranges::find(rows_, all_->default_config());
    default_ = static_cast<size_t>(usual - rows_.begin());
    for (size_t i = 0; i < rows_.size(); ++i) place_[rows_[i]] = i;
  }

  const ProfilerInfo& info() const override { return info_; }
  const Space& space() const override { return space_; }
  size_t default_config() const override { return default_; }
  std::string default_reason() const override { return all_->default_reason(); }
  const WorkloadTable* table() const override { return all_->table(); }
  Result<Measurement> measure(size_t config) override { return all_->measure(rows_.at(config)); }
  void next_repeat(size_t config, size_t number) override {
    all_->next_repeat(rows_.at(config), number);
  }
  std::string out_of_reach(size_t config) const override {
    return all_->out_of_reach(rows_.at(config));
  }
  void on_sample(TrialListener listener) override {
    if (!listener) return all_->on_sample({});
    all_->on_sample([this, listener = std::move(listener)](size_t row, const TrialSample& sample) {
      listener(place_.at(row), sample);
    });
  }

 private:
  std::unique_ptr<Profiler> all_;
  std::vector<size_t> rows_;
  std::map<size_t, size_t> place_;
  ProfilerInfo info_;
  Space space_;
  size_t default_ = 0;
};

// A share of the modes, drawn by the seed; the default's is one of them.
Result<std::vector<Mode>> sample(const std::map<Mode, size_t>& modes, const Mode& usual,
                                 const ModeChoice& choice) {
  if (choice.count > modes.size())
    return Error{Code::invalid_argument,
                 fmt::format("--modes {}: there are {} modes", choice.count, modes.size()),
                 "--modes all takes every one"};
  std::vector<Mode> others, drawn = {usual};
  for (const auto& [mode, index] : modes)
    if (mode != usual) others.push_back(mode);
  Random random(choice.seed);
  for (size_t i : random.sample(others.size(), choice.count - 1)) drawn.push_back(others[i]);
  return drawn;
}

Result<std::vector<Mode>> chosen(const Space& space, const std::vector<size_t>& axes,
                                 const std::map<Mode, size_t>& modes, const Mode& usual,
                                 const ModeChoice& choice, KeptModes& kept) {
  std::vector<Mode> list;
  if (choice.kind == ModeChoice::Kind::sample) {
    kept.seed = choice.seed;
    return sample(modes, usual, choice);
  }
  if (choice.kind == ModeChoice::Kind::all) {
    for (const auto& [mode, index] : modes) list.push_back(mode);
    return list;
  }
  FLYBALL_ASSIGN(const NearPaper paper, near_paper_modes(space));
  kept.notes = paper.notes;
  for (size_t row : paper.rows) list.push_back(mode_of(space, axes, row));
  list.push_back(usual);
  return list;
}

}  // namespace

Result<ModeChoice> parse_mode_choice(const std::string& text, uint64_t seed) {
  if (text == "all") return ModeChoice{};
  if (text == "paper") return ModeChoice{.kind = ModeChoice::Kind::paper};
  const auto count = parse_integer(text);
  if (count && *count > 0)
    return ModeChoice{ModeChoice::Kind::sample, static_cast<size_t>(*count), seed};
  return Error{Code::invalid_argument, fmt::format("'{}' are no modes", text),
               "all, paper (the grid of the papers) or how many to draw, such as 50"};
}

Result<std::unique_ptr<Profiler>> with_modes(std::unique_ptr<Profiler> profiler,
                                             const ModeChoice& choice) {
  const Space& space = profiler->space();
  const std::vector<size_t> axes = space.board_axes();
  std::map<Mode, size_t> modes;
  for (size_t row = 0; row < space.size(); ++row) modes.emplace(mode_of(space, axes, row), row);
  KeptModes kept{.asked = choice.kind == ModeChoice::Kind::all ? "all"
                          : choice.kind == ModeChoice::Kind::paper
                              ? "paper"
                              : fmt::format("{}", choice.count),
                 .of = modes.size()};
  const Mode usual = mode_of(space, axes, profiler->default_config());
  FLYBALL_ASSIGN(std::vector<Mode> wanted, chosen(space, axes, modes, usual, choice, kept));
  make_distinct(wanted);
  kept.kept = wanted.size();
  std::vector<size_t> rows;
  std::vector<size_t> order(space.size());
  std::iota(order.begin(), order.end(), size_t{0});
  if (profiler->info().live) order = descending(space);
  for (size_t row : order)
    if (std::ranges::binary_search(wanted, mode_of(space, axes, row))) rows.push_back(row);
  return std::unique_ptr<Profiler>(
      std::make_unique<ChosenModes>(std::move(profiler), std::move(rows), std::move(kept)));
}

Result<TableTrials> table_trials(WorkloadTable table, std::span<const AxisChoice> axes,
                                 const ModeChoice& modes) {
  auto whole = std::make_shared<const WorkloadTable>(std::move(table));
  TableTrials trials{*whole, nullptr};
  if (!axes.empty()) {
    FLYBALL_ASSIGN(trials.table, narrowed(*whole, axes));
  }
  trials.profiler = make_table_profiler(trials.table, std::move(whole));
  if (modes.kind == ModeChoice::Kind::all) return trials;
  FLYBALL_ASSIGN(trials.profiler, with_modes(std::move(trials.profiler), modes));
  std::vector<size_t> rows;
  for (size_t row = 0; row < trials.table.size(); ++row)
    if (trials.profiler->space().find(trials.table.space.row(row))) rows.push_back(row);
  trials.table = take_rows(trials.table, rows);
  return trials;
}

}  // namespace flyball
