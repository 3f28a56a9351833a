#include "baselines/nn/nn.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <future>
#include <map>
#include <mutex>
#include <optional>

#include "base/parallel.h"
#include "base/random.h"
#include "base/text.h"
#include "baselines/nn/nn_model.h"
#include "predict/of_total.h"
#include "predict/rows.h"

namespace flyball {
namespace {

constexpr double milliwatts = 1000;

enum class Figure { time, power };

// Time in ms, power in mW, as the paper's networks learn them.
NnRows rows_of(const WorkloadTable& table, const std::vector<Axis>& axes, Figure figure,
               size_t limit, uint64_t seed) {
  NnRows rows;
  rows.dimensions = axes.size();
  const auto columns = match_axes(table.space, axes);
  if (!columns) return rows;
  std::vector<size_t> chosen(table.size());
  for (size_t i = 0; i < chosen.size(); ++i) chosen[i] = i;
  if (limit > 0 && limit < chosen.size())
    chosen = Random(mix_seed(seed, 17)).sample(table.size(), limit);
  for (size_t i : chosen) {
    const double value =
        figure == Figure::time ? table.minibatch_ms[i] : table.power_w[i] * milliwatts;
    if (std::isfinite(value) && value > 0) rows.add(pick(table.space.row(i), *columns), value);
  }
  return rows;
}

// Networks of references, trained once for each set of rows and options.
class References {
 public:
  static References& shared() {
    static References instance;
    return instance;
  }

  std::shared_ptr<const NnModel> get(const MlpKernel& kernel, const NnRows& rows,
                                     const NnOptions& options) {
    const uint64_t key = fingerprint(rows, options);
    std::promise<std::shared_ptr<const NnModel>> promise;
    std::shared_future<std::shared_ptr<const NnModel>> future;
    bool ours = false;
    {
      const std::lock_guard lock(mutex_);
      if (const auto found = models_.find(key); found != models_.end()) {
        future = found->second;
      } else {
        if (models_.size() >= 32) models_.clear();
        future = promise.get_future().share();
        models_.emplace(key, future);
        ours = true;
      }
    }
    if (ours) {
      NnOptions thorough = options;
      thorough.refit = false;
      thorough.validation = 0.1;
      promise.set_value(std::make_shared<const NnModel>(
          fit_nn(kernel, rows, nullptr, thorough, options.reference_repeats, 1)));
    }
    return future.get();
  }

 private:
  static uint64_t fingerprint(const NnRows& rows, const NnOptions& options) {
    const MlpOptions& network = options.network;
    uint64_t key = mix_seed(rows.dimensions, static_cast<uint64_t>(options.log_target));
    const auto mix = [&key](double value) { key = mix_seed(key, std::hash<double>{}(value)); };
    for (double value : rows.x) mix(value);
    for (double value : rows.y) mix(value);
    for (int64_t size : network.hidden) mix(static_cast<double>(size));
    for (double rate : network.dropout) mix(rate);
    for (double value : {network.learning_rate, double(network.epochs), double(network.batch),
                         double(options.reference_repeats), double(network.loss == Loss::mape)})
      mix(value);
    return key;
  }

  std::mutex mutex_;
  std::map<uint64_t, std::shared_future<std::shared_ptr<const NnModel>>> models_;
};

class Nn final : public Predictor {
 public:
  Nn(NnOptions options, bool transfers) : options_(std::move(options)), transfers_(transfers) {}

  std::string name() const override { return transfers_ ? "transfer-nn" : "nn"; }

  Status fit(const WorkloadTable& measured, std::span<const WorkloadTable> references,
             const FitOptions& options) override {
    FLYBALL_CHECK(check_rows(measured, 3));
    FLYBALL_ASSIGN(kernel_, mlp_kernel());
    axes_ = varying_axes(measured.space);
    profiled_ = measured.space.axes();
    notes_.clear();
    time_.reset();
    power_.reset();
    const NnRows time = rows_of(measured, axes_, Figure::time, 0, 0);
    const NnRows power = rows_of(measured, axes_, Figure::power, 0, 0);
    if (time.groups() < 3)
      return Error{Code::invalid_argument,
                   fmt::format("{} distinct configurations of {} are too few, 3 are needed",
                               time.groups(), measured.workload),
                   "profile more configurations"};
    const WorkloadTable* reference = transfers_ ? choose(references, measured) : nullptr;
    if (power.groups() < 3 && measured.has_power())
      notes_.push_back(name() +
                       ": power was measured in fewer than 3 configurations and is not "
                       "predicted");
    parallel_for(2, [&](size_t figure) {
      if (figure == 0)
        time_ = learn(time, reference, Figure::time, mix_seed(options.seed, 0));
      else if (power.groups() >= 3)
        power_ = learn(power, reference, Figure::power, mix_seed(options.seed, 1));
    });
    return {};
  }

  Result<Prediction> predict(const Space& space) const override {
    if (!time_)
      return Error{Code::invalid_argument, name() + " has not been fitted", "call fit() first"};
    FLYBALL_ASSIGN(const std::vector<size_t> columns, match_axes(space, axes_));
    Prediction prediction;
    prediction.extrapolated = outside_profiled(profiled_, space);
    prediction.notes = notes_;
    std::vector<double> rows;
    for (size_t i = 0; i < space.size(); ++i) {
      const std::vector<double> x = pick(space.row(i), columns);
      rows.insert(rows.end(), x.begin(), x.end());
    }
    prediction.minibatch_ms = estimate(*time_, rows, 1, "times", prediction.notes);
    if (power_)
      prediction.power_w = estimate(*power_, rows, 1 / milliwatts, "powers", prediction.notes);
    return prediction;
  }

 private:
  // Widest power range of those that know every axis; ones without power come last.
  const WorkloadTable* choose(std::span<const WorkloadTable> references,
                              const WorkloadTable& measured) {
    const WorkloadTable* best = nullptr;
    double widest = -1;
    for (const WorkloadTable& reference : references) {
      if (!match_axes(reference.space, axes_)) continue;
      const NnRows power = rows_of(reference, axes_, Figure::power, 0, 0);
      const auto [low, high] = std::ranges::minmax_element(power.y);
      const double range = power.y.empty() ? 0 : *high - *low;
      if (reference.size() < 3 || range <= widest) continue;
      widest = range;
      best = &reference;
    }
    notes_.push_back(best ? fmt::format("transfer-nn: starts from {}", best->title())
                          : fmt::format("transfer-nn: no reference has the axes of {}; learned "
                                        "from scratch",
                                        measured.title()));
    if (best && best->power_total != measured.power_total && best->has_power())
      notes_.push_back(fmt::format(
          "transfer-nn: power of reference {} is {}, that of the target {}: its last layer is new "
          "and learns the level from the target alone",
          best->title(), of_total(*best), of_total(measured)));
    return best;
  }

  NnModel learn(const NnRows& rows, const WorkloadTable* reference, Figure figure,
                uint64_t seed) const {
    if (reference) {
      const NnRows known = rows_of(*reference, axes_, figure, options_.reference_modes, 1);
      if (known.groups() >= 3) {
        const auto base = References::shared().get(*kernel_, known, options_);
        return fit_nn(*kernel_, rows, &base->network, options_, options_.repeats, seed);
      }
    }
    return fit_nn(*kernel_, rows, nullptr, options_, options_.repeats, seed);
  }

  Estimates estimate(const NnModel& model, const std::vector<double>& rows, double unit,
                     const std::string& what, std::vector<std::string>& notes) const {
    Estimates estimates;
    size_t raised = 0;
    for (double value : model.predict(rows, raised)) {
      estimates.mean.push_back(value * unit);
      estimates.lo90.push_back(value * unit * std::exp(-model.half_width));
      estimates.hi90.push_back(value * unit * std::exp(model.half_width));
    }
    if (raised > 0)
      notes.push_back(
          fmt::format("{}: {} of {} {} came out near or below zero and were raised to "
                      "{:.3g}",
                      name(), raised, estimates.mean.size(), what, model.least * unit));
    return estimates;
  }

  NnOptions options_;
  bool transfers_;
  const MlpKernel* kernel_ = nullptr;
  std::vector<Axis> axes_;
  std::vector<Axis> profiled_;
  std::optional<NnModel> time_, power_;
  std::vector<std::string> notes_;
};

}  // namespace

Result<NnOptions> parse_nn_options(std::span<const std::string> words) {
  NnOptions options;
  for (const std::string& word : words) {
    const size_t equals = word.find('=');
    const std::string key = word.substr(0, equals);
    const bool numbered = key == "reference" || key == "epochs" || key == "repeats";
    const auto value = equals == std::string::npos
                           ? std::optional<long long>()
                           : parse_integer(std::string_view(word).substr(equals + 1));
    if (numbered && value && *value >= 1 && *value <= 1000000) {
      if (key == "reference") options.reference_modes = static_cast<size_t>(*value);
      if (key == "epochs") options.network.epochs = static_cast<int>(*value);
      if (key == "repeats") options.repeats = static_cast<int>(*value);
    } else if (word == "mape") {
      options.network.loss = Loss::mape;
    } else if (word == "log") {
      options.log_target = true;
    } else if (word == "norefit") {
      options.refit = false;
    } else {
      return Error{Code::invalid_argument, fmt::format("'{}' is no option of a network", word),
                   "mape, log, norefit, reference=N, epochs=N or repeats=N, each after a +"};
    }
  }
  return options;
}

std::unique_ptr<Predictor> make_nn(const NnOptions& options) {
  return std::make_unique<Nn>(options, false);
}
std::unique_ptr<Predictor> make_nn() {
  return make_nn(NnOptions{});
}
std::unique_ptr<Predictor> make_transfer_nn(const NnOptions& options) {
  return std::make_unique<Nn>(options, true);
}
std::unique_ptr<Predictor> make_transfer_nn() {
  return make_transfer_nn(NnOptions{});
}

}  // namespace flyball
