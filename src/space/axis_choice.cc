#include "space/axis_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/distinct.h"
#include "base/text.h"

namespace flyball {
namespace {

constexpr std::string_view dots = "..";

std::optional<double> number_of(std::string_view text) {
  const auto value = parse_double(trim(text));
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::string list_of(std::span<const double> values) {
  std::vector<std::string> words;
  for (double value : values) words.push_back(format_number(value));
  return join(words, ", ");
}

// Of a range of what is no axis of the board.
Error no_values(const AxisChoice& choice, std::span<const Axis> board, OtherAxes others) {
  Error error{
      Code::invalid_argument,
      fmt::format("{} is no axis of this board, so {} names no values", choice.name, choice.text()),
      fmt::format("name them: --axis {}=VALUE,VALUE,…", choice.name)};
  if (named_axis(choice.name).scope == Scope::run) return error;
  std::vector<std::string> names;
  for (const Axis& axis : board) names.push_back(axis.name);
  const std::string axes = names.empty() ? "" : "the board has: " + join(names, ", ");
  if (others == OtherAxes::none)
    error.hint = axes.empty() ? "leave it out: nothing of this board can be set" : axes;
  else if (!axes.empty())
    error.hint = axes + "; of a setting of the program " + error.hint;
  return error;
}

}  // namespace

std::string nearest_two(double value, std::span<const double> values) {
  std::vector<std::string> nearest;
  const auto above = std::ranges::upper_bound(values, value);
  if (above != values.begin()) nearest.push_back(format_number(*(above - 1)));
  if (above != values.end()) nearest.push_back(format_number(*above));
  return join(nearest, " and ");
}

Error lacks_value(const Axis& axis, double value, const std::string& where,
                  const std::string& list) {
  return {Code::invalid_argument,
          fmt::format("{} cannot be {} {}", axis.name, format_number(value), where),
          fmt::format("the nearest it can be: {} (`{}` shows all)", nearest_two(value, axis.values),
                      list)};
}

std::string AxisChoice::text() const {
  if (range)
    return fmt::format("{}={}..{}", name, format_number(range->first),
                       format_number(range->second));
  std::string text = list_of(values);
  std::erase(text, ' ');
  return name + "=" + text;
}

Result<AxisChoice> parse_axis_choice(const std::string& text) {
  const size_t equals = text.find('=');
  const Error bad{Code::invalid_argument, fmt::format("'{}' is not an axis", text),
                  "write NAME=VALUE,VALUE,… or NAME=LEAST..MOST, such as batch_size=8,16,32"};
  if (equals == std::string::npos || equals == 0) return bad;
  AxisChoice choice;
  choice.name = text.substr(0, equals);
  const std::string_view rest = std::string_view(text).substr(equals + 1);
  if (const size_t middle = rest.find(dots); middle != std::string_view::npos) {
    const auto least = number_of(rest.substr(0, middle));
    const auto most = number_of(rest.substr(middle + dots.size()));
    if (!least || !most || *most < *least) return bad;
    choice.range = {*least, *most};
    return choice;
  }
  for (const std::string& piece : split(std::string(rest), ',')) {
    const auto value = parse_double(trim(piece));
    if (!value) return bad;
    if (const std::string fault = axis_value_fault(choice.name, *value); !fault.empty())
      return Error{Code::invalid_argument,
                   fmt::format("{} cannot be {}: {}", choice.name, piece, fault),
                   "write the values to choose from, such as batch_size=8,16,32"};
    choice.values.push_back(*value);
  }
  make_distinct(choice.values);
  return choice;
}

Result<std::vector<AxisChoice>> parse_axis_choices(std::span<const std::string> texts) {
  std::vector<AxisChoice> choices;
  for (const std::string& text : texts) {
    FLYBALL_ASSIGN(AxisChoice choice, parse_axis_choice(text));
    if (std::ranges::find(choices, choice.name, &AxisChoice::name) != choices.end())
      return Error{Code::invalid_argument, fmt::format("--axis {} is given twice", choice.name),
                   fmt::format("name all its values at once: {}=VALUE,VALUE,…", choice.name)};
    choices.push_back(std::move(choice));
  }
  return choices;
}

Result<std::vector<double>> chosen_values(const AxisChoice& choice, const Axis& axis,
                                          const std::string& whose) {
  std::vector<double> present = axis.values;
  std::ranges::sort(present);
  if (choice.range) {
    std::vector<double> within;
    for (double value : present)
      if (value >= choice.range->first && value <= choice.range->second) within.push_back(value);
    if (!within.empty()) return within;
    return Error{Code::invalid_argument,
                 fmt::format("no {} of {} lies in {}", axis.name, whose, choice.text()),
                 fmt::format("the nearest: {}", nearest_two(choice.range->first, present))};
  }
  for (double value : choice.values)
    if (!std::ranges::binary_search(present, value))
      return Error{Code::invalid_argument,
                   fmt::format("{} has no {} {}", whose, axis.name, format_number(value)),
                   fmt::format("the nearest: {}", nearest_two(value, present))};
  return choice.values;
}

std::vector<AxisChoice> as_far_as_there(std::vector<AxisChoice> choices,
                                        const std::set<std::string>& of_files,
                                        const WorkloadTable& table) {
  std::erase_if(choices, [&](AxisChoice& choice) {
    if (!of_files.contains(choice.name)) return false;
    const auto d = table.space.axis_index(choice.name);
    if (!d) return true;
    const Axis& axis = table.space.axes()[*d];
    std::erase_if(choice.values, [&](double value) {
      return std::ranges::find(axis.values, value) == axis.values.end();
    });
    return !chosen_values(choice, axis, "the table").ok() ||
           (choice.values.empty() && !choice.range);
  });
  return choices;
}

Result<WorkloadTable> narrowed(const WorkloadTable& table, std::span<const AxisChoice> choices) {
  std::vector<std::vector<double>> wanted(table.space.dimensions());
  for (const AxisChoice& choice : choices) {
    const auto d = table.space.axis_index(choice.name);
    if (!d) {
      std::vector<std::string> names;
      for (const Axis& axis : table.space.axes()) names.push_back(axis.name);
      return Error{Code::invalid_argument,
                   fmt::format("{} has no axis '{}'", table.title(), choice.name),
                   "it has: " + join(names, ", ")};
    }
    FLYBALL_ASSIGN(wanted[*d], chosen_values(choice, table.space.axes()[*d], "the table"));
  }
  std::vector<size_t> rows;
  for (size_t i = 0; i < table.size(); ++i) {
    bool chosen = true;
    for (size_t d = 0; d < wanted.size(); ++d)
      chosen = chosen &&
               (wanted[d].empty() || std::ranges::binary_search(wanted[d], table.space.row(i)[d]));
    if (chosen) rows.push_back(i);
  }
  if (rows.empty())
    return Error{Code::invalid_argument,
                 fmt::format("{} has no row with all of these values", table.title()),
                 "leave one --axis out"};
  return take_rows(table, rows);
}

Result<std::vector<Axis>> opened_axes(std::span<const AxisChoice> choices,
                                      std::span<const Axis> board, OtherAxes others) {
  std::vector<Axis> axes;
  for (const AxisChoice& choice : choices) {
    axes.push_back(named_axis(choice.name, choice.values));
    if (!choice.range) continue;
    const Axis* own = find_axis(board, choice.name);
    if (!own) return no_values(choice, board, others);
    FLYBALL_ASSIGN(axes.back().values, chosen_values(choice, *own, "this board"));
  }
  return axes;
}

}  // namespace flyball
