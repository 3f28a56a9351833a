#include "experiment/experiment_record.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "experiment/fingerprint.h"
#include "store/command_run.h"

namespace flyball {

std::set<std::string> keys_of(const ExperimentSpec& spec) {
  std::set<std::string> keys;
  for (const RunSettings& run : spec.runs())
    for (int repeat = 0; repeat < spec.repeats; ++repeat) keys.insert(run_key(run, repeat));
  return keys;
}

const StoredFigures* latest_of(const std::vector<StoredFigures>& known, const std::string& key,
                               const std::string& conditions) {
  const auto found = std::find_if(known.rbegin(), known.rend(), [&](const StoredFigures& one) {
    return one.key == key && one.conditions == conditions;
  });
  return found == known.rend() ? nullptr : &*found;
}

Result<ExperimentRecord> ExperimentRecord::open(Store* store, const RunRequest& request,
                                                bool fresh) {
  std::optional<int64_t> run;
  if (store) {
    FLYBALL_ASSIGN(run, store->begin_or_resume(request));
  }
  FLYBALL_ASSIGN(ExperimentRecord record, look(store, request, fresh ? run : std::nullopt));
  record.run_ = run;
  if (fresh) std::erase_if(record.known_, [](const StoredFigures& one) { return one.reused; });
  return record;
}

Result<ExperimentRecord> ExperimentRecord::look(Store* store, const RunRequest& request,
                                                std::optional<int64_t> own) {
  ExperimentRecord record;
  record.store_ = store;
  record.conditions_ = request.conditions.value_or(Conditions());
  record.text_ = with_conditions(request.fingerprint, request.conditions);
  if (!store) return record;
  FLYBALL_ASSIGN(
      record.known_,
      stored_figures(*store, {.run = own, .fingerprint = request.fingerprint, .own = true}));
  return record;
}

const StoredFigures* ExperimentRecord::find(const RunSettings& settings, int repeat) const {
  return latest_of(known_, run_key(settings, repeat), text_);
}

std::string ExperimentRecord::measured_again(const ExperimentSpec& spec) const {
  const std::set<std::string> asked = keys_of(spec);
  const StoredFigures* latest = nullptr;
  std::set<std::string> again;
  for (const StoredFigures& one : known_) {
    if (!asked.contains(one.key) || latest_of(known_, one.key, text_)) continue;
    again.insert(one.key);
    latest = &one;
  }
  if (!latest) return "";
  const auto& then = latest->figures.conditions;
  return fmt::format("{} earlier run{} measured again: {}", again.size(),
                     again.size() == 1 ? " is" : "s are",
                     then ? join(differences(*then, conditions_), "; ")
                          : "made before their conditions were kept");
}

Status ExperimentRecord::reuse(const StoredFigures& known) {
  return run_ ? store_->reuse_experiment_run(*run_, known.id) : Status();
}

Status ExperimentRecord::add(const RunFigures& figures) {
  if (!run_) return {};
  FLYBALL_ASSIGN([[maybe_unused]] const int64_t id,
                 store_->add_experiment_run(row_of(figures), *run_));
  return {};
}

Status ExperimentRecord::finish(const Status& how, const std::string& answer) {
  return run_ ? end_run(*store_, *run_, how, answer) : Status();
}

}  // namespace flyball
