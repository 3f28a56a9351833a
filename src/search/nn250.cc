// NN250, the papers' modelling baseline (AutoCITE/Fulcrum): PowerTrain's network fitted on 250
// random profiles, then the best mode by its predictions. A training is profiled in 250 modes and
// learned for 200 epochs; a serving role in 50 modes with all batch sizes, for 1000 epochs. A fifth
// of the modes is held out. The published baseline trusts the prediction (predicted_choice()); here
// the choice is measured too, and the answer is feasible as any other.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "baselines/nn/nn.h"
#include "search/posterior.h"
#include "search/registry.h"

namespace flyball {
namespace {

constexpr size_t profiles = 250;
constexpr int epochs_of_modes = 200, epochs_of_batches = 1000;

class Nn250 : public Strategy {
 public:
  Nn250(const std::shared_ptr<const Problem>& asked, SearchOptions with)
      : Strategy(asked, std::move(with)) {
    const Candidates& all = *problem().candidates;
    Random random(options().seed);
    // Without board axes there is one mode, and the run settings of each role are what is drawn.
    if (all.modes().empty()) {
      for (size_t role = 0; role < all.roles(); ++role)
        for (size_t candidate : random.sample(all.size(role), profiles)) draw(role, candidate);
      return;
    }
    const auto order = random.sample(all.mode_count(), all.mode_count());
    for (size_t i = 0; i < order.size(); ++i)
      for (size_t role = 0; role < all.roles(); ++role) {
        if (i >= profiles / all.batches(role).size()) continue;
        for (size_t candidate : all.of_mode(role, order[i])) draw(role, candidate);
      }
  }

  std::optional<std::vector<size_t>> predicted_choice() const override { return predicted_; }

 protected:
  std::optional<Ask> propose() override {
    for (; next_ < plan_.size(); ++next_)
      if (!history().find(plan_[next_].role, plan_[next_].candidate)) return plan_[next_];
    if (!predicted_ && !predict()) return stop("the network could not be fitted");
    if (auto rest = first_missing(*predicted_, "the best by the network's predictions"))
      return rest;
    return stop("the network's choice was measured");
  }

 private:
  void draw(size_t role, size_t candidate) {
    plan_.push_back({role, candidate, "drawn at random, for the network to learn", false});
  }

  bool predict() {
    const Candidates& all = *problem().candidates;
    Readings expected(all.roles());
    for (size_t role = 0; role < all.roles(); ++role) {
      NnOptions network;
      network.network.epochs = all.batches(role).size() > 1 ? epochs_of_batches : epochs_of_modes;
      network.repeats = 1;
      network.refit = false;
      SearchOptions own = options();
      own.references.clear();
      own.predictor = fmt::format("nn of {} epochs", network.network.epochs);
      own.make_predictor = [network] { return make_nn(network); };
      const auto prediction = predict_role(history(), role, own);
      if (!prediction->ok()) {
        note("the network gave up: " + prediction->error().message);
        return false;
      }
      const Estimates &time = (*prediction)->minibatch_ms, &power = (*prediction)->power_w;
      for (size_t i = 0; i < time.mean.size(); ++i)
        expected[role].push_back({time.mean[i], power.mean.empty() ? not_measured : power.mean[i]});
    }
    predicted_ = solve(problem(), expected).candidates;
    return true;
  }

  std::vector<Ask> plan_;
  size_t next_ = 0;
  std::optional<std::vector<size_t>> predicted_;
};

}  // namespace

std::unique_ptr<Strategy> make_nn250(std::shared_ptr<const Problem> problem,
                                     SearchOptions options) {
  return std::make_unique<Nn250>(std::move(problem), std::move(options));
}

}  // namespace flyball
