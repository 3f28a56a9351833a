#include "problem/paper.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/csv.h"
#include "base/text.h"

namespace flyball {
namespace {

constexpr std::array kind_names = {
    std::pair{ProblemKind::training, "training"},
    std::pair{ProblemKind::inference, "inference"},
    std::pair{ProblemKind::concurrent, "concurrent"},
    std::pair{ProblemKind::two_inference, "two-inference"},
};

std::vector<double> range(double first, double last, double step) {
  std::vector<double> values;
  for (int i = 0; first + i * step <= last + step / 2; ++i) values.push_back(first + i * step);
  return values;
}

struct GridAxis {
  const char* name;
  std::vector<double> values;
};

const std::vector<GridAxis>& paper_grid() {
  static const std::vector<GridAxis> grid = {
      {axis::cpu_cores, {4, 8, 12}},
      {axis::cpu_mhz, {422.4, 729.6, 1036.8, 1344, 1651.2, 1958.4, 2201.6}},
      {axis::gpu_mhz, {114.75, 318.75, 522.75, 726.75, 930.75, 1134.75, 1300.5}},
      {axis::mem_mhz, {665.6, 2133, 3199}},
  };
  return grid;
}

}  // namespace

const char* kind_name(ProblemKind kind) {
  for (const auto& [value, name] : kind_names)
    if (value == kind) return name;
  return "training";
}

Result<ProblemKind> parse_kind(const std::string& text) {
  std::vector<std::string> known;
  for (const auto& [value, name] : kind_names) {
    if (text == name) return value;
    known.push_back(name);
  }
  return Error{Code::invalid_argument, fmt::format("'{}' is not a problem", text),
               name_hint(text, known)};
}

std::vector<ProblemSpec> paper_problems(ProblemKind kind, bool long_latency) {
  const auto powers = range(10, long_latency ? 60 : 50, 1);
  std::vector<double> latencies = {unlimited}, rates = {0};
  if (kind == ProblemKind::inference) {
    latencies = long_latency ? range(1000, 2400, 200) : range(50, 150, 10);
    rates = long_latency ? range(1, 15, 1) : range(30, 90, 5);
  } else if (kind != ProblemKind::training) {
    latencies = long_latency ? range(2000, 6000, 500) : range(500, 2000, 100);
    rates = long_latency ? range(1, 15, 1) : range(30, 120, 10);
  }
  std::vector<ProblemSpec> specs;
  for (double power : powers)
    for (double latency : latencies)
      for (double rate : rates) specs.push_back({{power, unlimited, unlimited}, latency, rate});
  return specs;
}

bool takes_long_latency(const std::string& workload) {
  return workload.starts_with("bert");
}

Result<std::vector<ProblemSpec>> read_problems(const std::filesystem::path& path) {
  FLYBALL_ASSIGN(const Csv csv, read_csv(path));
  std::vector<ProblemSpec> specs(csv.rows.size());
  struct Column {
    const char* name;
    double ProblemSpec::*own;
    double Budgets::*budget;
  };
  const std::array columns = {Column{"power_w", nullptr, &Budgets::power_w},
                              Column{"time_ms", nullptr, &Budgets::time_ms},
                              Column{"energy_j", nullptr, &Budgets::energy_j},
                              Column{"latency_ms", &ProblemSpec::latency_ms, nullptr},
                              Column{"rate_hz", &ProblemSpec::rate_hz, nullptr}};
  for (size_t c = 0; c < csv.header.size(); ++c)
    if (std::ranges::none_of(columns, [&](const Column& k) { return csv.header[c] == k.name; }))
      return Error{Code::invalid_argument,
                   fmt::format("{} has a column '{}', which is no budget", csv.name, csv.header[c]),
                   "the columns are power_w, time_ms, energy_j, latency_ms, rate_hz"};
  bool any = false;
  for (const Column& column : columns) {
    const auto c = csv.column(column.name);
    if (!c) continue;
    any = true;
    for (size_t row = 0; row < csv.rows.size(); ++row) {
      if (trim(csv.rows[row][*c]).empty()) continue;  // left open
      FLYBALL_ASSIGN(const double value, csv.number(row, *c));
      if (!(value > 0))
        return csv.at(row, *c, "a budget must be above zero", "leave it empty for no limit");
      (column.own ? specs[row].*column.own : specs[row].budgets.*column.budget) = value;
    }
  }
  if (!any || specs.empty())
    return Error{Code::corrupt, fmt::format("{} holds no problems", csv.name),
                 "write a CSV with columns power_w, time_ms, energy_j, latency_ms, rate_hz"};
  return specs;
}

Result<Space> paper_modes(const Space& space) {
  std::vector<size_t> kept;
  for (size_t i = 0; i < space.size(); ++i) {
    const bool inside = std::ranges::all_of(paper_grid(), [&](const GridAxis& axis) {
      const auto d = space.axis_index(axis.name);
      return d && std::ranges::find(axis.values, space.row(i)[*d]) != axis.values.end();
    });
    if (inside) kept.push_back(i);
  }
  if (kept.empty())
    return Error{Code::not_found, "the table holds none of the paper's 441 power modes",
                 "they are modes of the AGX Orin; use --modes all for other boards"};
  return space.subset(kept);
}

Result<NearPaper> near_paper_modes(const Space& space) {
  constexpr double tolerance = 0.05;
  NearPaper near;
  std::vector<std::pair<size_t, std::vector<double>>> wanted;  // by dimension
  for (const GridAxis& axis : paper_grid()) {
    const auto d = space.axis_index(axis.name);
    if (!d) continue;
    const std::vector<double>& listed = space.axes()[*d].values;
    std::vector<double> taken;
    for (const double value : axis.values) {
      const double nearest = *std::ranges::min_element(
          listed, {}, [&](double other) { return std::abs(other - value); });
      const bool is_near = std::abs(nearest - value) <= tolerance * value;
      if (is_near) taken.push_back(nearest);
      if (nearest != value)
        near.notes.push_back(fmt::format(
            "{} {} of the papers' grid {}", axis.name, format_number(value),
            is_near ? "is tried as " + format_number(nearest) : std::string("is not listed here")));
    }
    wanted.emplace_back(*d, std::move(taken));
  }
  for (size_t i = 0; i < space.size() && !wanted.empty(); ++i)
    if (std::ranges::all_of(wanted, [&](const auto& axis) {
          return std::ranges::find(axis.second, space.row(i)[axis.first]) != axis.second.end();
        }))
      near.rows.push_back(i);
  if (!near.rows.empty()) return near;
  return Error{Code::not_found, "this board has none of the papers' 441 power modes",
               "they are modes of the AGX Orin; --modes all takes every mode, a number so many"};
}

Problem make_problem(ProblemKind kind, std::shared_ptr<const Candidates> candidates,
                     std::vector<Role> roles, const ProblemSpec& spec) {
  Problem problem;
  problem.candidates = std::move(candidates);
  problem.budgets = spec.budgets;
  const bool trains = kind == ProblemKind::training || kind == ProblemKind::concurrent;
  for (size_t i = 0; i < roles.size(); ++i) {
    const bool serves = !trains || i > 0;
    roles[i].phase = serves ? Phase::infer : Phase::train;
    roles[i].rate_hz = serves ? spec.rate_hz : 0;
    roles[i].latency_ms = serves ? spec.latency_ms : unlimited;
  }
  problem.roles = std::move(roles);
  problem.published_wait = true;
  problem.per_sample = trains_in_several_batches(*problem.candidates, problem.roles);
  if (kind == ProblemKind::concurrent) problem.objective = Objective::throughput;
  if (kind == ProblemKind::two_inference) problem.objective = Objective::latency;
  return problem;
}

}  // namespace flyball
