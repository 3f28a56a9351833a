#include "roofs/roofline_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/json.h"
#include "base/text.h"
#include "roofs/known_layers.h"

namespace flyball {
namespace {

bool asked(const RooflineRequest& request, const std::string& workload) {
  return request.workloads.empty() || std::ranges::count(request.workloads, workload) > 0;
}

bool batch_asked(const RooflineRequest& request, double batch) {
  return request.batches.empty() || std::ranges::count(request.batches, batch) > 0;
}

// The case's figures in one mode, under that mode's roofs where it has some.
void bind_figures(RooflineAnswer& answer, const EnergyCase& one, const ModeFigures& figures) {
  const ModeRoofs* roofs = answer.roofs.of(figures.mode);
  const auto layers = known_layers(tabled_network(one.workload, one.phase), one.phase,
                                   one.batch_size, answer.request.rules);
  if (!roofs || !layers) return;
  BoundWorkload bound = bind_layers(*layers, *roofs, answer.roofs.provenance);
  bound.measured_s = figures.ms * 1e-3;
  bound.power_w = figures.power_w;
  bound.doubted = figures.doubted;
  answer.bound.push_back(std::move(bound));
}

// None where nothing else is known.
BoardRoofs roofs_without(const std::string& workload, std::span<const WorkloadTable> tables,
                         const WorkOf& work_of) {
  std::vector<WorkloadTable> others;
  for (const WorkloadTable& table : tables)
    if (table.workload != workload) others.push_back(table);
  if (others.empty()) return {};
  auto fitted = fit_table_roofs(others, work_of);
  return fitted ? std::move(fitted->roofs) : BoardRoofs();
}

// What roofs name that are fitted without the network in question: with it they would be told the
// answer.
void judge_as_tuner(RooflineAnswer& answer, std::span<const WorkloadTable> tables,
                    const WorkOf& work_of) {
  std::map<std::string, BoardRoofs> without;
  for (const EnergyCase& one : answer.cases) {
    if (!without.contains(one.workload))
      without[one.workload] = roofs_without(one.workload, tables, work_of);
    answer.choices.push_back(roof_choice(one, without[one.workload], answer.request.rules));
  }
  const std::string words = tuner_verdict(answer.cases, answer.choices);
  if (!words.empty()) answer.verdicts.push_back(words);
}

Status all_found(const RooflineRequest& request, std::span<const WorkloadTable> tables) {
  for (const std::string& name : request.workloads)
    if (std::ranges::count(tables, name, &WorkloadTable::workload) == 0) {
      std::vector<std::string> titles;
      for (const WorkloadTable& table : tables) titles.push_back(table.title());
      return Error{Code::not_found, fmt::format("no table holds the workload '{}'", name),
                   "they hold: " + join(titles, ", ")};
    }
  return {};
}

// Ascending.
std::set<double> batches_held(const RooflineRequest& request,
                              std::span<const WorkloadTable> tables) {
  std::set<double> held;
  for (const WorkloadTable& table : tables) {
    if (!asked(request, table.workload)) continue;
    const auto axis = table.space.axis_index(axis::batch_size);
    if (!axis && table.batch_size > 0) held.insert(table.batch_size);
    for (size_t i = 0; axis && i < table.size(); ++i) held.insert(table.space.row(i)[*axis]);
  }
  return held;
}

Status all_batches_held(const RooflineRequest& request, std::span<const WorkloadTable> tables) {
  const std::set<double> held = batches_held(request, tables);
  for (const double batch : request.batches) {
    if (held.contains(batch)) continue;
    std::vector<std::string> sizes;
    for (const double size : held) sizes.push_back(format_number(size));
    return Error{Code::not_found, fmt::format("no table holds batch size {}", format_number(batch)),
                 sizes.empty() ? "they do not say how large their minibatches are: leave it out"
                               : "they hold: " + join(sizes, ", ")};
  }
  return {};
}

// The latest measurement of it in this mode; null for none.
const Measurement* measurement_of(std::span<const StoredMeasurement> measured,
                                  const BoundWorkload& bound) {
  std::vector<const StoredMeasurement*> found;
  for (const StoredMeasurement& stored : measured) {
    const Measurement& m = stored.measurement;
    const auto batch = m.trial.job.settings.find(axis::batch_size);
    const double size = batch == m.trial.job.settings.end() ? 1 : batch->second;
    if (m.trial.job.workload != bound.workload || m.trial.job.phase != bound.phase ||
        size != bound.batch_size || !(m.minibatch_ms > 0))
      continue;
    // Where one of them names what the other leaves out, nobody knows how the other had it.
    if (m.trial.mode.values == bound.mode.values) found.push_back(&stored);
  }
  if (found.empty()) return nullptr;
  // Of the repeats of the latest trial the one that they come to, as everywhere.
  const Trial& latest =
      (*std::ranges::max_element(found, {}, &StoredMeasurement::id))->measurement.trial;
  std::erase_if(found,
                [&](const StoredMeasurement* one) { return one->measurement.trial != latest; });
  const auto middle = found.begin() + static_cast<std::ptrdiff_t>(found.size() / 2);
  std::ranges::nth_element(found, middle, {}, [](const StoredMeasurement* one) {
    return one->measurement.minibatch_ms;
  });
  return &(*middle)->measurement;
}

}  // namespace

Result<RooflineAnswer> roofline_of_tables(const RooflineRequest& request,
                                          std::span<const WorkloadTable> tables) {
  FLYBALL_CHECK(all_found(request, tables));
  RooflineAnswer answer{.request = request};
  const auto work_of = [&](const std::string& workload, Phase phase,
                           double batch) -> std::optional<LayerTotals> {
    const auto layers = known_layers(tabled_network(workload, phase), phase, batch, request.rules);
    if (!layers) return {};
    return layers->totals();
  };
  FLYBALL_ASSIGN(TableRoofs fitted, fit_table_roofs(tables, work_of));
  FLYBALL_CHECK(all_batches_held(request, tables));
  answer.roofs = std::move(fitted.roofs);
  answer.notes = std::move(fitted.notes);
  for (const WorkloadTable& table : tables) {
    if (!asked(request, table.workload)) continue;
    answer.tables.push_back(merge_repeats(table));
    for (EnergyCase& one : energy_cases(table)) {
      if (!batch_asked(request, one.batch_size)) continue;
      bind_figures(answer, one, one.highest);
      if (one.least.mode != one.highest.mode) bind_figures(answer, one, one.least);
      answer.cases.push_back(std::move(one));
    }
    if (!table.has_power())
      answer.notes.push_back(table.title() + " holds no power readings: no energy, no verdicts");
  }
  answer.balance = balance_verdict(answer.roofs);
  answer.verdicts = verdicts(answer.cases, answer.balance);
  judge_as_tuner(answer, tables, work_of);
  return answer;
}

Result<RooflineAnswer> roofline_of_board(const RooflineRequest& request, const StoredRoofs& stored,
                                         std::span<const StoredMeasurement> measured) {
  RooflineAnswer answer{.request = request, .roofs = stored.roofs, .roofs_run = stored.run};
  if (request.workloads.empty())
    return Error{Code::invalid_argument, "which workload is to be drawn under the roofs?",
                 "flyball roofline resnet18, or flyball roofline FILE.csv for measured tables"};
  const std::vector<double> batches =
      request.batches.empty() ? std::vector<double>{1} : request.batches;
  bool any_measured = false;
  // A simulated board runs what the published tables are of, another one Flyball's own networks.
  const bool simulated = stored.roofs.provenance == Provenance::simulated;
  for (const std::string& workload : request.workloads)
    for (const double batch : batches) {
      FLYBALL_ASSIGN(const LayerTable layers,
                     known_layers(simulated ? tabled_network(workload, request.phase)
                                            : KnownNetwork{workload, ""},
                                  request.phase, batch, request.rules));
      for (const ModeRoofs& mode : answer.roofs.modes) {
        BoundWorkload bound = bind_layers(layers, mode, answer.roofs.provenance);
        if (const Measurement* m = measurement_of(measured, bound)) {
          bound.measured_s = m->minibatch_ms * 1e-3;
          bound.stall_s = m->stall_ms * 1e-3;
          if (m->power) bound.power_w = m->power->mean_w;
          any_measured = true;
        }
        answer.bound.push_back(std::move(bound));
      }
    }
  if (!any_measured)
    answer.notes.emplace_back(
        "none of these was measured in a mode of these roofs: times are the least that they "
        "allow; "
        "`flyball tune` measures");
  if (!answer.roofs.power_gap.empty())
    answer.notes.push_back("no energy roofs: " + answer.roofs.power_gap);
  if (answer.roofs.made_up())
    answer.notes.push_back(fmt::format("the roofs are {}: `flyball roofline measure` measures them",
                                       provenance_name(answer.roofs.provenance)));
  answer.balance = balance_verdict(answer.roofs);
  answer.verdicts = verdicts({}, answer.balance);
  return answer;
}

Json roofline_json(const RooflineAnswer& answer) {
  Json bound = Json::array(), cases = Json::array();
  for (const BoundWorkload& one : answer.bound) bound.push_back(bound_json(one));
  for (size_t i = 0; i < answer.cases.size(); ++i) {
    cases.push_back(case_json(answer.cases[i]));
    cases.back()["named_by_roofs"] = roof_choice_json(answer.choices[i]);
  }
  const ModeRoofs* highest = answer.roofs.highest();
  return {{"roofs", roofs_json(answer.roofs)},
          {"highest", highest ? Json(highest - answer.roofs.modes.data()) : Json(nullptr)},
          {"run", or_null(answer.roofs_run)},
          {"workloads", bound},
          {"cases", cases},
          {"balance", balance_json(answer.balance)},
          {"verdicts", answer.verdicts},
          {"notes", answer.notes}};
}

}  // namespace flyball
