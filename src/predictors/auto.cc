#include "predictors/auto.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "base/random.h"
#include "base/statistics.h"
#include "base/text.h"
#include "baselines/analytical.h"
#include "baselines/linear.h"
#include "predict/gp/gp.h"
#include "predict/physical/physical.h"
#include "predict/rows.h"

namespace flyball {
namespace {

constexpr size_t folds = 5;
constexpr size_t most_compared = 60;  // distinct configurations; more teach nothing about the order
constexpr double clearly = 2;         // standard errors by which a simpler model has to be better
constexpr double worst_error = 1;     // of a logarithm; beyond it all errors count the same

struct Candidate {
  const char* name;
  std::unique_ptr<Predictor> (*make)();
  bool takes_references;
};

// In order of preference.
constexpr std::array<Candidate, 5> candidates = {{{"transfer-gp", make_transfer_gp, true},
                                                  {"gp", make_gp, false},
                                                  {"physical", make_physical, false},
                                                  {"analytical", make_analytical, false},
                                                  {"linear", make_linear, false}}};

using References = std::span<const WorkloadTable>;

// Absolute errors of the logarithm on rows the model has not seen, in the order of the rows.
struct Unseen {
  std::vector<double> time, power;
  std::optional<Error> error;
};

// Which fold each row belongs to; repeats of a configuration share one. Rows that are not compared
// have none.
std::vector<std::optional<size_t>> split(const WorkloadTable& measured, uint64_t seed) {
  const WorkloadTable distinct = merge_repeats(measured);
  const auto order = Random(mix_seed(seed, 7)).sample(distinct.size(), distinct.size());
  std::vector<std::optional<size_t>> fold_of(distinct.size()), result(measured.size());
  for (size_t k = 0; k < std::min(order.size(), most_compared); ++k) fold_of[order[k]] = k % folds;
  for (size_t i = 0; i < measured.size(); ++i)
    result[i] = fold_of[*distinct.space.find(measured.space.row(i))];
  return result;
}

void add_errors(const Estimates& predicted, const std::vector<double>& observed,
                std::vector<double>& errors) {
  if (predicted.mean.empty()) return;
  for (size_t i = 0; i < observed.size(); ++i)
    if (!std::isnan(observed[i]))
      errors.push_back(std::min(std::abs(std::log(predicted.mean[i] / observed[i])), worst_error));
}

Unseen cross_validate(const Candidate& candidate, const WorkloadTable& measured,
                      References references, const std::vector<std::optional<size_t>>& fold_of,
                      const FitOptions& options) {
  Unseen unseen;
  for (size_t fold = 0; fold < folds; ++fold) {
    std::vector<size_t> kept, left_out;
    for (size_t i = 0; i < measured.size(); ++i)
      if (fold_of[i]) (*fold_of[i] == fold ? left_out : kept).push_back(i);
    if (left_out.empty()) continue;
    const auto predictor = candidate.make();
    const Status fitted = predictor->fit(
        take_rows(measured, kept), candidate.takes_references ? references : References(), options);
    if (!fitted.ok()) return unseen.error = fitted.error(), unseen;
    const WorkloadTable asked = take_rows(measured, left_out);
    const auto prediction = predictor->predict(asked.space);
    if (!prediction) return unseen.error = prediction.error(), unseen;
    add_errors(prediction->minibatch_ms, asked.minibatch_ms, unseen.time);
    add_errors(prediction->power_w, asked.power_w, unseen.power);
  }
  return unseen;
}

// Is `b` better than `a` by more than chance would have it? Errors of the same rows.
bool clearly_better(const std::vector<double>& b, const std::vector<double>& a) {
  if (a.size() != b.size() || a.size() < 2) return a.empty() && !b.empty();
  std::vector<double> gain;
  for (size_t i = 0; i < a.size(); ++i) gain.push_back(a[i] - b[i]);
  return mean(gain) >
         clearly * standard_deviation(gain) / std::sqrt(static_cast<double>(gain.size()));
}

class Auto final : public Predictor {
 public:
  std::string name() const override { return "auto"; }

  Status fit(const WorkloadTable& measured, std::span<const WorkloadTable> references,
             const FitOptions& options) override {
    // A simulation, or a form of cost, answers without a reading: then transfer-gp is taken.
    const bool counted = measured.cost && measured.cost->by_kind() && !references.empty();
    FLYBALL_CHECK(check_rows(measured, measured.prior || counted ? 0 : 2));
    notes_.clear();
    time_.reset();
    power_.reset();
    std::vector<const Candidate*> entrants;
    for (const Candidate& candidate : candidates)
      if (!candidate.takes_references || !references.empty() || measured.prior)
        entrants.push_back(&candidate);
    const Choice chosen = compare(entrants, measured, references, options);
    FLYBALL_ASSIGN(time_, fitted(*chosen.time, measured, references, options));
    power_ = time_;
    if (chosen.power != chosen.time) {
      FLYBALL_ASSIGN(power_, fitted(*chosen.power, measured, references, options));
    }
    return {};
  }

  Result<Prediction> predict(const Space& space) const override {
    if (!time_)
      return Error{Code::invalid_argument, "auto has not been fitted", "call fit() first"};
    FLYBALL_ASSIGN(Prediction prediction, time_->predict(space));
    prediction.notes.insert(prediction.notes.begin(), notes_.begin(), notes_.end());
    if (power_ == time_) return prediction;
    FLYBALL_ASSIGN(Prediction power, power_->predict(space));
    prediction.power_w = std::move(power.power_w);
    prediction.simulated_outside = prediction.simulated_outside && power.simulated_outside;
    for (std::string& note : power.notes)
      if (std::ranges::find(prediction.notes, note) == prediction.notes.end())
        prediction.notes.push_back(std::move(note));
    return prediction;
  }

  Result<Draws> draw(const Space& space, size_t count, uint64_t seed) const override {
    if (!time_)
      return Error{Code::invalid_argument, "auto has not been fitted", "call fit() first"};
    FLYBALL_ASSIGN(Draws draws, time_->draw(space, count, seed));
    if (power_ == time_) return draws;
    FLYBALL_ASSIGN(Draws power, power_->draw(space, count, seed));
    draws.log_w = std::move(power.log_w);
    return draws;
  }

 private:
  struct Choice {
    const Candidate *time, *power;
  };

  Choice compare(const std::vector<const Candidate*>& entrants, const WorkloadTable& measured,
                 References references, const FitOptions& options) {
    const size_t distinct = merge_repeats(measured).size();
    if (distinct < auto_least_rows) {
      notes_.push_back(
          fmt::format("auto: {} distinct configurations are too few to compare models "
                      "on ({} are needed); {} is used",
                      distinct, auto_least_rows, entrants.front()->name));
      return {entrants.front(), entrants.front()};
    }
    const auto fold_of = split(measured, options.seed);
    std::vector<Unseen> unseen;
    for (const Candidate* entrant : entrants) {
      unseen.push_back(cross_validate(*entrant, measured, references, fold_of, options));
      if (unseen.back().error)
        notes_.push_back(
            fmt::format("auto: {} is out: {}", entrant->name, unseen.back().error->message));
    }
    const Candidate* time = pick_best(entrants, unseen, &Unseen::time, "time");
    return {time,
            measured.has_power() ? pick_best(entrants, unseen, &Unseen::power, "power") : time};
  }

  const Candidate* pick_best(const std::vector<const Candidate*>& entrants,
                             const std::vector<Unseen>& unseen, std::vector<double> Unseen::*figure,
                             const char* what) {
    size_t best = 0;
    while (best < entrants.size() && (unseen[best].*figure).empty()) ++best;
    if (best == entrants.size()) return entrants.front();  // its fit will say why
    std::vector<std::string> errors;
    for (size_t k = 0; k < entrants.size(); ++k) {
      const auto& own = unseen[k].*figure;
      if (own.empty()) continue;
      errors.push_back(fmt::format("{} {:.1f} %", entrants[k]->name, 100 * mean(own)));
      if (k > best && clearly_better(own, unseen[best].*figure)) best = k;
    }
    notes_.push_back(fmt::format("auto: {} by {}; errors on rows left out: {}", what,
                                 entrants[best]->name, join(errors, ", ")));
    return entrants[best];
  }

  static Result<std::shared_ptr<const Predictor>> fitted(const Candidate& candidate,
                                                         const WorkloadTable& measured,
                                                         References references,
                                                         const FitOptions& options) {
    std::shared_ptr<Predictor> predictor = candidate.make();
    FLYBALL_CHECK(
        predictor->fit(measured, candidate.takes_references ? references : References(), options));
    return std::shared_ptr<const Predictor>(std::move(predictor));
  }

  std::shared_ptr<const Predictor> time_, power_;
  std::vector<std::string> notes_;
};

}  // namespace

std::unique_ptr<Predictor> make_auto() {
  return std::make_unique<Auto>();
}

}  // namespace flyball
