#include "predict/gp/transfer_source.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <utility>

#include "base/random.h"
#include "predict/gp/form_fit.h"
#include "predict/gp/grid_field.h"
#include "predict/gp/power_form.h"
#include "predict/gp/surface.h"
#include "predict/gp/surface_forms.h"
#include "predict/rows.h"
#include "space/table_hash.h"

namespace flyball {
namespace {

constexpr size_t rows_for_form = 500;     // enough for a dozen parameters
constexpr size_t rows_for_process = 200;  // of a reference that is no grid
constexpr size_t kept = 64;               // prepared references

std::vector<Index> some(Random& random, const std::vector<Index>& of, size_t most) {
  std::vector<Index> chosen;
  for (size_t i : random.sample(of.size(), most)) chosen.push_back(of[i]);
  std::ranges::sort(chosen);
  return chosen;
}

SurfaceRows subset(const SurfaceRows& all, const std::vector<Index>& indices) {
  return {all.rows.subset(indices), all.fields(indices, Eigen::all), all.log_time(indices)};
}

/// The configurations that `x` codes: values on `axes`.
Space space_of(const CodedRows& x, std::vector<Axis> axes) {
  for (Axis& axis : axes) axis.values.clear();
  Space space(std::move(axes));
  std::vector<double> row(x.axes());
  for (size_t i = 0; i < static_cast<size_t>(x.rows); ++i) {
    for (size_t d = 0; d < row.size(); ++d)
      row[d] = x.values[d][static_cast<size_t>(x.index[d][i])];
    space.add(row);
  }
  return space;
}

/// A reference with holes: the posterior of a Gaussian process on some of its rows.
class ProcessField final : public ResidualField {
 public:
  ProcessField(Surface surface, Coordinates coordinates, std::vector<Axis> axes)
      : surface_(std::move(surface)),
        coordinates_(std::move(coordinates)),
        axes_(std::move(axes)) {}
  Vector at(const CodedRows& x) const override {
    const auto rows = coordinates_.rows(space_of(x, axes_));
    if (!rows) return Vector::Zero(x.rows);
    return surface_.residual({*rows, Matrix(x.rows, 0), Vector::Zero(x.rows)});
  }

 private:
  Surface surface_;
  Coordinates coordinates_;
  std::vector<Axis> axes_;
};

std::map<std::string, double> named(const std::vector<FormParameter>& parameters,
                                    const Vector& theta) {
  std::map<std::string, double> values;
  for (size_t i = 0; i < parameters.size(); ++i)
    values[parameters[i].name] = theta[static_cast<Index>(i)];
  return values;
}

}  // namespace

std::shared_ptr<const TransferSource> TransferSource::prepare(const WorkloadTable& table) {
  static std::mutex mutex;
  static std::map<std::pair<std::string, uint64_t>, std::shared_ptr<const TransferSource>> prepared;
  const std::pair key(table.title(), content_hash(table));
  {
    const std::lock_guard lock(mutex);
    if (const auto found = prepared.find(key); found != prepared.end()) return found->second;
  }
  const std::shared_ptr<const TransferSource> made(new TransferSource(table));
  const std::lock_guard lock(mutex);
  if (prepared.size() >= kept) prepared.clear();
  return prepared.emplace(key, made).first->second;
}

TransferSource::TransferSource(const WorkloadTable& table)
    : title_(table.title()),
      device_(table.device),
      phase_(table.phase),
      axes_(varying_axes(table.space)),
      coordinates_(table.space, table.device, table.phase) {
  const auto n = static_cast<Index>(table.size());
  SurfaceRows all{*coordinates_.rows(table.space), Matrix(n, 0), Vector::Zero(n)};
  Random random(1);
  const bool grid = fills_grid(table.space, axes_);
  const CodedRows x = inside(table.space);

  // Departures from the form on all rows, and the field made of them.
  const auto depart = [&](const SurfaceForm& form, const std::vector<double>& figures,
                          std::map<std::string, double>& parameters,
                          std::unique_ptr<ResidualField>& field) -> Vector {
    const Vector y = Eigen::Map<const Vector>(figures.data(), n).array().log();
    std::vector<Index> known;
    for (Index i = 0; i < n; ++i)
      if (std::isfinite(y[i])) known.push_back(i);
    const auto chosen = some(random, known, grid ? rows_for_form : rows_for_process);
    const SurfaceRows rows = subset(all, chosen);
    if (!grid) {
      Surface surface;
      surface.fit(form, rows, y(chosen), {});
      const Vector theta = surface.theta();
      parameters = named(form.parameters, theta);
      const Vector shape = form.at(all, theta).value + surface.residual(all);
      field = std::make_unique<ProcessField>(std::move(surface), coordinates_, axes_);
      return shape;
    }
    const FormFit fit = fit_form([&](const Vector& asked) { return form.at(rows, asked); },
                                 y(chosen), form.parameters);
    parameters = named(form.parameters, fit.theta);
    const Vector shape = form.at(all, fit.theta).value;
    Vector residual = (y - shape).array() - fit.level;
    for (double& value : residual)
      if (!std::isfinite(value)) value = std::numeric_limits<double>::quiet_NaN();
    field = make_grid_field(axes_, x, residual);
    return shape + field->at(x);
  };
  all.log_time =
      depart(time_surface(coordinates_), table.minibatch_ms, time_parameters_, time_field_);
  if (table.has_power())
    depart(power_surface(coordinates_), table.power_w, power_parameters_, power_field_);
}

CodedRows TransferSource::inside(const Space& space) const {
  CodedRows x;
  x.rows = static_cast<Index>(space.size());
  for (const Axis& axis : axes_) {
    const double low = axis.values.front(), high = axis.values.back();
    CodedRows codes;
    if (const auto column = space.axis_index(axis.name)) {
      codes = coded(space, std::array{*column});
    } else {
      codes.values = {{high}};
      codes.index.emplace_back(space.size(), 0);
    }
    for (double& value : codes.values[0]) value = std::clamp(value, low, high);
    x.values.push_back(std::move(codes.values[0]));
    x.index.push_back(std::move(codes.index[0]));
  }
  return x;
}

Vector TransferSource::time_field(const Space& space) const {
  return time_field_->at(inside(space));
}

Vector TransferSource::power_field(const Space& space) const {
  if (!power_field_) return Vector::Zero(static_cast<Index>(space.size()));
  return power_field_->at(inside(space));
}

}  // namespace flyball
