// What `--axis` asks of one axis: its values, or a range of those that there are.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "space/table.h"

namespace flyball {

/// "612 and 714": of ascending values those next to one that they lack, on both sides or on one.
std::string nearest_two(double value, std::span<const double> values);
/// "gpu_mhz cannot be 600 here": of a value that the axis lacks, with the nearest two; `list` is
/// the command that shows all.
Error lacks_value(const Axis& axis, double value, const std::string& where,
                  const std::string& list);

struct AxisChoice {
  std::string name;
  std::vector<double> values;                      ///< ascending, distinct; empty for a range
  std::optional<std::pair<double, double>> range;  ///< both ends included

  std::string text() const;  ///< "gpu_mhz=600..1300"
};

/// "batch_size=8,16,32" or "gpu_mhz=600..1300". Error: it is neither.
Result<AxisChoice> parse_axis_choice(const std::string& text);
/// One for each text. Error: an axis that is named twice.
Result<std::vector<AxisChoice>> parse_axis_choices(std::span<const std::string> texts);

/// Those of the axis' values that are chosen. Errors name the axis and what it has: a value that it
/// lacks, with the two nearest; a range in which none lies. `whose` has it: "the table".
Result<std::vector<double>> chosen_values(const AxisChoice& choice, const Axis& axis,
                                          const std::string& whose);
/// What configuration files say of axes, those named in `of_files`, counts as far as the table has
/// it: they hold for other tables and boards, too.
std::vector<AxisChoice> as_far_as_there(std::vector<AxisChoice> choices,
                                        const std::set<std::string>& of_files,
                                        const WorkloadTable& table);
/// The rows of a table whose settings are chosen. Errors also: an axis that the table lacks; values
/// that no row has together.
Result<WorkloadTable> narrowed(const WorkloadTable& table, std::span<const AxisChoice> choices);
/// Who may have axes beside the board's and those of a minibatch that Flyball knows.
enum class OtherAxes {
  none,     ///< a network has none
  program,  ///< a program, or a server, reads settings of any name
};
/// The choices as axes to open: a range becomes those values of the board's axis that lie in it.
/// Error: a range of an axis that is none of the board's; the hint names its values where it may
/// be another axis, else the axes that there are.
Result<std::vector<Axis>> opened_axes(std::span<const AxisChoice> choices,
                                      std::span<const Axis> board, OtherAxes others);

}  // namespace flyball
