// What an earlier table teaches about a new one: the parameters of its forms, and where and how far
// it departs from them.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "predict/gp/surface.h"
#include "space/table.h"

namespace flyball {

/// Residuals of a table around its form, smoothed, to be asked for anywhere.
class ResidualField {
 public:
  virtual ~ResidualField() = default;
  /// One value for each row of `x`: values on the axes of the reference.
  virtual Vector at(const CodedRows& x) const = 0;
};

/// A reference, made ready. It says how time and power vary, never how large they are, so power
/// totals do not mix.
class TransferSource {
 public:
  /// Prepared tables are kept for the process by their content: a sweep asks for the same ones.
  static std::shared_ptr<const TransferSource> prepare(const WorkloadTable& table);

  /// Fitted parameters by name; empty for power when the table has none.
  const std::map<std::string, double>& time_parameters() const { return time_parameters_; }
  const std::map<std::string, double>& power_parameters() const { return power_parameters_; }
  /// Residuals at the configurations of a space, inside the box of the reference: beyond it, and
  /// for axes the space lacks, the nearest (the highest) value there is.
  Vector time_field(const Space& space) const;
  Vector power_field(const Space& space) const;  ///< zero when the table has no power
  const std::string& device() const { return device_; }
  Phase phase() const { return phase_; }
  const std::string& title() const { return title_; }

 private:
  explicit TransferSource(const WorkloadTable& table);
  CodedRows inside(const Space& space) const;

  std::string title_, device_;
  Phase phase_;
  std::vector<Axis> axes_;  ///< those that vary
  Coordinates coordinates_;
  std::map<std::string, double> time_parameters_, power_parameters_;
  std::unique_ptr<ResidualField> time_field_, power_field_;
};

}  // namespace flyball
