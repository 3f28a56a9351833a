#include "cli/text/tune_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "answers/comparison.h"
#include "answers/figure_limit.h"
#include "answers/notes.h"
#include "answers/per_text.h"
#include "base/figure.h"
#include "base/text.h"
#include "cli/output.h"
#include "search/registry.h"
#include "space/trial_facts.h"

namespace flyball::cli {
namespace {

/// "minibatch ms", or of a server the latency that it was searched by: "ttft ms".
std::string time_column(const TuneResult& result) {
  const ProfilerInfo& info = result.board();
  if (!tells_energy(info)) return time_name(info) + " ms";
  return per_text(result) + " ms";
}

/// A table of configurations; columns that say nothing in any row are left out.
class Rows {
 public:
  explicit Rows(const TuneResult& result) : result_(result) {
    const std::string per = per_text(result);
    header_ = {""};
    for (const Axis& axis : result.space.axes()) header_.push_back(axis.name);
    header_.insert(header_.end(), {time_column(result), "power W", per + " J"});
    if (result.samples > 0) header_.insert(header_.end(), {"epoch s", "epoch J"});
    header_.emplace_back("known");
  }

  void add(const std::string& label, size_t config, const Configuration& c) {
    std::vector<std::string> row = {label};
    for (double value : result_.space.row(config)) row.push_back(format_number(value));
    const double n = result_.counted(config), epoch = result_.minibatches_per_epoch(config);
    row.push_back(with_spread(c.minibatch_ms / n, c.time_lo / n, c.time_hi / n));
    row.push_back(with_spread(c.power_w, c.power_lo, c.power_hi));
    row.push_back(tells_energy(result_.board()) ? upper_figure(c.minibatch_j() / n) : "-");
    if (result_.samples > 0) {
      row.push_back(upper_figure(c.minibatch_ms * 1e-3 * epoch));
      row.push_back(upper_figure(c.minibatch_j() * epoch));
    }
    row.emplace_back(std::isnan(c.minibatch_ms) ? "-" : provenance_name(c.provenance));
    rows_.push_back(std::move(row));
  }

  std::string str() const {
    std::vector<size_t> columns;
    for (size_t c = 0; c < header_.size(); ++c)
      if (c == 0 || std::ranges::any_of(rows_, [c](const auto& row) { return row[c] != "-"; }))
        columns.push_back(c);
    const auto chosen = [&](const std::vector<std::string>& row) {
      std::vector<std::string> cells;
      for (size_t c : columns) cells.push_back(row[c]);
      return cells;
    };
    TextTable table(chosen(header_));
    for (const auto& row : rows_) table.add(chosen(row));
    return table.str();
  }

 private:
  const TuneResult& result_;
  std::vector<std::string> header_;
  std::vector<std::vector<std::string>> rows_;
};

Configuration as_tabled(const TableRow& row) {
  return {row.minibatch_ms, row.minibatch_ms, row.minibatch_ms, row.power_w,
          row.power_w,      row.power_w,      row.provenance};
}

std::string answer_rows(const TuneResult& result) {
  Rows rows(result);
  if (result.choice) rows.add("choice", *result.choice, result.configurations[*result.choice]);
  rows.add("default", result.default_config, result.configurations[result.default_config]);
  for (const PresetAnswer& preset : result.presets) {
    if (!preset.measured() || preset.is_default) continue;
    const size_t config = *result.space.find(*result.space.to_row(preset.settings));
    if (config != result.choice) rows.add(preset.title(), config, result.configurations[config]);
  }
  if (result.oracle && result.oracle->raw)
    rows.add("raw optimum", result.oracle->raw->config, as_tabled(*result.oracle->raw));
  if (result.oracle && result.oracle->robust)
    rows.add("robust optimum", result.oracle->robust->config, as_tabled(*result.oracle->robust));
  return rows.str();
}

/// Repeated readings as they came; their median stands in the table.
std::string readings_text(const TuneResult& result) {
  std::string text;
  const auto add = [&](const char* label, size_t config) {
    const auto readings = result.readings(config);
    if (!result.board().live || readings.size() < 2) return;
    std::vector<std::string> times;
    for (const Measurement* m : readings)
      times.push_back(number(m->minibatch_ms / result.counted(config)));
    text += fmt::format("{} {}: {} ms", text.empty() ? "readings of the" : "; of the", label,
                        join(times, ", "));
  };
  if (result.choice && *result.choice != result.default_config) add("choice", *result.choice);
  add("default", result.default_config);
  return text.empty() ? "" : text + "\n";
}

/// What is reported of choice and default, side by side.
std::string figures_text(const TuneResult& result) {
  if (!result.choice) return "";
  const bool same = *result.choice == result.default_config;
  const Figures usual = same ? Figures() : figures_of(result, result.default_config);
  std::string text;
  for (const auto& [name, value] : figures_of(result, *result.choice)) {
    text += fmt::format("{} of the choice: {}", name, figure_text(name, value));
    if (const auto other = usual.find(name); other != usual.end()) {
      const std::string told = figure_text(name, other->second);
      const bool worse = told != figure_text(name, value) &&
                         is_worse(name, value, other->second, result.request.limits);
      text += fmt::format(", of the default: {}{}", told, worse ? " (the choice is worse)" : "");
    }
    text += "\n";
  }
  return text;
}

std::string oracle_lines(const TuneResult& result) {
  const Oracle& oracle = *result.oracle;
  if (!oracle.raw) return "optimum: no configuration of the table meets the budgets\n";
  const std::string gap = oracle_text(result);
  return fmt::format(
      "{}robust optimum: {}without {} rows whose power lies more than 6 % below what "
      "their neighbours let expect\n",
      gap.empty() ? "" : "the choice takes " + gap + "\n",
      oracle.robust ? "" : "no configuration meets the budgets ", oracle.excluded.size());
}

std::string trials_text(const TuneResult& result) {
  std::vector<std::string> header = {"trial"};
  for (const Axis& axis : result.space.axes()) header.push_back(axis.name);
  header.insert(header.end(), {result.per == Per::sample ? "minibatch ms" : time_column(result),
                               "power W", "noise %", "why"});
  TextTable table(header);
  for (size_t i = 0; i < result.profiled.size(); ++i) {
    const Observation& trial = result.profiled[i];
    const Measurement& m = trial.measurement;
    std::vector<std::string> row = {fmt::format("{}", i + 1)};
    for (double value : result.space.row(trial.config)) row.push_back(format_number(value));
    row.push_back(m.failed() ? "-" : number(m.minibatch_ms));
    row.push_back(number(m.power_w().value_or(std::nan(""))));
    row.push_back(m.failed() || !tells_noise(m) ? "-" : number(100 * m.noise, 2));
    const std::string known = also_known(m);
    row.push_back(reason_text(trial) + (m.failed() ? "; failed: " + m.failure : "") +
                  (known.empty() ? "" : "; " + known));
    table.add(std::move(row));
  }
  return "\n" + table.str() + "\n";
}

}  // namespace

std::string with_spread(double value, double low, double high) {
  if (std::isnan(value)) return "-";
  const std::string figure = upper_figure(value);
  if (!std::isfinite(low) || !std::isfinite(high) || low == high) return figure;
  constexpr int digits = 4;  // as many as the figure's
  return fmt::format("{} ({}-{})", figure, number(low, digits), number(high, digits));
}

std::string tune_text(const TuneResult& result, bool verbose) {
  const ProfilerInfo& info = result.board();
  std::string text =
      fmt::format("{} {} on {} ({}): {}\n\n{}\n", info.workload,
                  info.phase == Phase::train ? "training" : "inference", info.device,
                  info.device_title, effort_text(result, result.offered()), answer_rows(result));
  if (const auto comparison = compare_with_default(result)) text += comparison->text + "\n";
  text += readings_text(result);
  text += figures_text(result);
  text += fmt::format("asked: {}\ndefault: {}\n", describe(result), result.default_reason);
  if (result.request.time_budget_s != unlimited || result.request.energy_budget_j != unlimited)
    text += fmt::format("time and energy budgets are those of one {}\n", result.budget_span);
  if (result.oracle) text += oracle_lines(result);
  if (!knows_all(result.request.strategy))
    text += fmt::format("search ended: {}\n", result.stopped);
  if (const std::string notice = power_notice(info); !notice.empty()) text += notice + "\n";
  if (!knows_all(result.request.strategy))
    for (const WorkloadTable& reference : result.request.references)
      text += fmt::format("reference: {}\n", reference.title());
  if (verbose) text += trials_text(result);
  return text + notes_text(info.gaps, true) + notes_text(result.notes, verbose);
}

}  // namespace flyball::cli
