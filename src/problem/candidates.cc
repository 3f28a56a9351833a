#include "problem/candidates.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"

namespace flyball {
namespace {

std::vector<std::string> names_of(const Space& space, const std::vector<size_t>& axes) {
  std::vector<std::string> names;
  for (size_t d : axes) names.push_back(space.axes()[d].name);
  return names;
}

std::vector<double> pick(std::span<const double> row, const std::vector<size_t>& axes) {
  std::vector<double> values;
  for (size_t d : axes) values.push_back(row[d]);
  return values;
}

/// Board axes of each role in the order of the first role's.
Result<std::vector<std::vector<size_t>>> matched_axes(const std::vector<Space>& spaces) {
  std::vector<std::vector<size_t>> matched = {spaces[0].board_axes()};
  const std::vector<std::string> wanted = names_of(spaces[0], matched[0]);
  for (size_t role = 1; role < spaces.size(); ++role) {
    const std::vector<std::string> own = names_of(spaces[role], spaces[role].board_axes());
    if (std::set(own.begin(), own.end()) != std::set(wanted.begin(), wanted.end()))
      return Error{Code::invalid_argument,
                   fmt::format("the workloads' boards have other axes: {} and {}",
                               join(wanted, ", "), join(own, ", ")),
                   "give tables of the same board"};
    std::vector<size_t>& axes = matched.emplace_back();
    for (const std::string& name : wanted) axes.push_back(*spaces[role].axis_index(name));
  }
  return matched;
}

/// Modes that are kept, numbered in ascending order of their values.
std::map<std::vector<double>, size_t> kept_modes(const std::vector<Space>& spaces,
                                                 const std::vector<std::vector<size_t>>& axes,
                                                 LinkedModes kept) {
  std::map<std::vector<double>, size_t> roles_with_mode, number;
  for (size_t role = 0; role < spaces.size(); ++role) {
    std::set<std::vector<double>> own;
    for (size_t i = 0; i < spaces[role].size(); ++i)
      own.insert(pick(spaces[role].row(i), axes[role]));
    for (const std::vector<double>& mode : own) ++roles_with_mode[mode];
  }
  for (const auto& [mode, roles] : roles_with_mode)
    if (kept == LinkedModes::any || roles == spaces.size()) number.emplace(mode, number.size());
  return number;
}

}  // namespace

void Candidates::add_role(const Space& all, const std::vector<size_t>& axes,
                          const std::map<std::vector<double>, size_t>& number) {
  std::vector<size_t> kept, modes;
  for (size_t i = 0; i < all.size(); ++i) {
    const auto mode = number.find(pick(all.row(i), axes));
    if (mode == number.end() || all.find(all.row(i)) != i) continue;  // not shared, or a repeat
    kept.push_back(i);
    modes.push_back(mode->second);
  }
  Space space = all.subset(kept);
  const auto batch_axis = space.axis_index(axis::batch_size);
  std::vector<double>& batch = batch_.emplace_back();
  for (size_t i = 0; i < space.size(); ++i)
    batch.push_back(batch_axis ? space.row(i)[*batch_axis] : 1);
  const std::set<double> distinct(batch.begin(), batch.end());
  batches_.emplace_back(distinct.begin(), distinct.end());
  auto& of_mode = of_mode_.emplace_back(number.size());
  for (size_t i = 0; i < modes.size(); ++i) of_mode[modes[i]].push_back(i);
  for (std::vector<size_t>& list : of_mode)
    std::ranges::stable_sort(list, {}, [&](size_t i) { return batch[i]; });
  mode_of_.push_back(std::move(modes));
  (void)space.find(space.row(0));  // builds the index now: threads share it later
  spaces_.push_back(std::move(space));
}

Status check_one_board(const std::string& workload, const std::string& board,
                       const std::string& other, const std::string& other_board) {
  if (board == other_board) return {};
  return Error{Code::invalid_argument,
               fmt::format("{} was measured on {}, {} on {}", workload, board, other, other_board),
               "workloads that share a board must be measured on one"};
}

Result<Candidates> Candidates::link(std::vector<Space> spaces, LinkedModes modes) {
  if (spaces.empty() || std::ranges::any_of(spaces, [](const Space& s) { return s.empty(); }))
    return Error{Code::invalid_argument, "there is no configuration to choose from",
                 "give each role a space with at least one row"};
  FLYBALL_ASSIGN(const auto axes, matched_axes(spaces));
  const auto number = kept_modes(spaces, axes, modes);
  if (number.empty())
    return Error{Code::invalid_argument, "the workloads have no power mode in common",
                 "give tables measured on the same modes"};
  Candidates linked;
  std::vector<Axis> mode_axes;
  for (size_t d : axes[0]) {
    mode_axes.push_back(spaces[0].axes()[d]);
    mode_axes.back().values.clear();
  }
  linked.modes_ = Space(std::move(mode_axes));
  if (!axes[0].empty())
    for (const auto& [mode, index] : number) linked.modes_.add(mode);
  for (size_t role = 0; role < spaces.size(); ++role)
    linked.add_role(spaces[role], axes[role], number);
  return linked;
}

size_t Candidates::profiles() const {
  size_t all = 0;
  for (size_t mode = 0; mode < mode_count(); ++mode) {
    size_t most = 0;
    for (size_t role = 0; role < roles(); ++role) most = std::max(most, of_mode(role, mode).size());
    all += most;
  }
  return all;
}

std::optional<size_t> Candidates::first_of(size_t role, size_t mode) const {
  const std::span<const size_t> here = of_mode(role, mode);
  return here.empty() ? std::nullopt : std::optional(here.front());
}

std::optional<size_t> Candidates::at(size_t role, size_t mode, double batch) const {
  for (size_t candidate : of_mode_[role][mode])
    if (batch_[role][candidate] == batch) return candidate;
  return {};
}

}  // namespace flyball
