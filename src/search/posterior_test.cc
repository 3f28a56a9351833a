// What a predictor is told of the board, the total and the network when it serves in a search.
#include "search/posterior.h"

#include <gmock/gmock.h>

#include <numeric>
#include <set>

#include "search/registry.h"
#include "search/run.h"
#include "search/surface_testing.h"

namespace flyball {
namespace {

namespace surface = testing_surface;

struct Heard {
  WorkloadTable measured;
  std::vector<WorkloadTable> references;
};

class Recording : public surface::NearestPredictor {
 public:
  explicit Recording(std::vector<Heard>& heard) : heard_(heard) {}
  Status fit(const WorkloadTable& measured, std::span<const WorkloadTable> references,
             const FitOptions& options) override {
    heard_.push_back({measured, {references.begin(), references.end()}});
    return NearestPredictor::fit(measured, references, options);
  }

 private:
  std::vector<Heard>& heard_;
};

/// Of searches that share a cache, whose fits are heard.
SearchOptions recording(std::vector<Heard>& heard) {
  SearchOptions options;
  options.cache = std::make_shared<PredictionCache>();
  options.make_predictor = [&heard] { return std::make_unique<Recording>(heard); };
  return options;
}

TEST(Posterior, WhatARoleIsToldReachesThePredictor) {
  auto problem = std::make_shared<Problem>(*surface::beside_serving(30, 60, 400));
  problem->roles[0].device = problem->roles[1].device = "this_board";
  problem->roles[0].power_total = problem->roles[1].power_total = "module";
  problem->roles[0].cost = Cost{0, 2e9, 1e7, 3e7};
  problem->roles[0].batch_size = 16;
  problem->roles[1].prior = std::make_shared<const WorkloadTable>();
  WorkloadTable earlier;
  earlier.device = "this_board";
  earlier.workload = "earlier";
  for (const char* name : {"flyball", "als"}) {
    std::vector<Heard> heard;
    SearchOptions options;
    options.make_predictor = [&] { return std::make_unique<Recording>(heard); };
    options.references = {std::make_shared<const std::vector<WorkloadTable>>(1, earlier), nullptr};
    const auto strategy = *make_strategy(name, problem, options);
    ASSERT_TRUE(run_search(*strategy, surface::readings_of_both(*problem)).ok());
    size_t trainings = 0, services = 0;
    for (const Heard& each : heard) {
      EXPECT_EQ(each.measured.device, "this_board") << name;
      EXPECT_EQ(each.measured.power_total, "module") << name;
      const bool trains = each.measured.workload == "net";
      (trains ? trainings : services) += 1;
      EXPECT_EQ(each.measured.phase, trains ? Phase::train : Phase::infer);
      EXPECT_EQ(each.measured.cost, problem->roles[trains ? 0 : 1].cost);
      EXPECT_EQ(each.measured.batch_size, trains ? 16 : 0);
      EXPECT_EQ(each.measured.prior, problem->roles[trains ? 0 : 1].prior);
      EXPECT_EQ(each.references.size(), trains ? 1u : 0u);
    }
    EXPECT_GT(trainings, 1u) << name;
    EXPECT_GT(services, 1u) << name;
  }
}

TEST(Posterior, PredictionsAreOfWhatTheRoleIsTold) {
  SearchOptions options;
  options.cache = std::make_shared<PredictionCache>();
  std::set<std::string> keys;
  WorkloadTable told;
  told.space = surface::space();
  const auto of = [&](const auto& change) {
    auto problem = std::make_shared<Problem>(*surface::problem({}));
    change(problem->roles[0]);
    keys.insert(prediction_key(History(problem), 0, options));
  };
  of([](Role&) {});
  of([](Role& role) { role.batch_size = 16; });
  of([](Role& role) { role.batch_size = 32; });
  of([](Role& role) { role.cost = Cost{0, 2e9}; });
  for (const double ms : {1.0, 2.0})
    of([&](Role& role) {
      WorkloadTable prior = told;
      prior.minibatch_ms.assign(prior.space.size(), ms);
      prior.power_w.assign(prior.space.size(), 10);
      role.prior = std::make_shared<const WorkloadTable>(std::move(prior));
    });
  EXPECT_EQ(keys.size(), 6u);
}

// The same readings, of problems that offer more or less.
TEST(Posterior, PredictionsAreOfTheCandidatesThatAProblemHas) {
  const auto problem = surface::problem({});
  const Readings all = surface::readings(*problem);
  std::vector<Heard> heard;
  const SearchOptions options = recording(heard);
  const auto size_of = [&](const std::shared_ptr<const Problem>& one) {
    History history(one);
    for (size_t i : {3, 7, 11}) history.record(0, i, all[0][i], "");
    return posterior_of(history, 0, options)->log_ms.size();
  };
  const auto fewer = std::make_shared<Problem>(*problem);
  const Space& space = problem->candidates->space(0);
  std::vector<size_t> first(space.size() / 2);
  std::iota(first.begin(), first.end(), size_t{0});
  fewer->candidates = std::make_shared<const Candidates>(*Candidates::link({space.subset(first)}));
  EXPECT_EQ(size_of(problem), space.size());
  EXPECT_EQ(size_of(fewer), first.size());
}

TEST(Posterior, SearchesThatDifferInTheBoardShareNothing) {
  const Readings all = surface::readings(*surface::problem({}));
  std::vector<Heard> heard;
  const SearchOptions options = recording(heard);
  const auto believe_on = [&](const std::string& device, const std::string& total) {
    auto problem = std::make_shared<Problem>(*surface::problem({}));
    problem->roles[0].device = device;
    problem->roles[0].power_total = total;
    History history(problem);
    for (size_t i : {3, 17, 30}) history.record(0, i, all[0][i], "");
    EXPECT_TRUE(posterior_of(history, 0, options).ok());
  };
  believe_on("a", "module");
  believe_on("a", "module");  // as before: not fitted again
  EXPECT_EQ(heard.size(), 1u);
  believe_on("b", "module");
  believe_on("b", "plug");
  EXPECT_EQ(heard.size(), 3u);
}

// The same numbers of other axes, e.g. clocks of memory where those of the CPU were.
TEST(Posterior, SearchesThatDifferInTheAxesShareNothing) {
  const auto problem = surface::problem({});
  const Readings all = surface::readings(*problem);
  std::vector<Heard> heard;
  const SearchOptions options = recording(heard);
  std::vector<Axis> axes = surface::space().axes();
  const auto believe_over = [&] {
    auto over = std::make_shared<Problem>(*problem);
    over->candidates = std::make_shared<const Candidates>(*Candidates::link({Space::grid(axes)}));
    History history(over);
    for (size_t i : {3, 17, 30}) history.record(0, i, all[0][i], "");
    EXPECT_TRUE(posterior_of(history, 0, options).ok());
    EXPECT_EQ(heard.back().measured.space.axes().back().name, axes.back().name);
    return heard.size();
  };
  EXPECT_EQ(believe_over(), 1u);
  EXPECT_EQ(believe_over(), 1u);
  axes.back() = named_axis("mem_mhz", axes.back().values);
  EXPECT_EQ(believe_over(), 2u);
}

TEST(Posterior, SearchesThatDifferInTheModelShareNothing) {
  const auto problem = surface::problem({});
  const Readings all = surface::readings(*problem);
  const auto cache = std::make_shared<PredictionCache>();
  std::vector<Heard> heard;
  const auto believe_by = [&](const std::string& predictor,
                              std::shared_ptr<const std::vector<WorkloadTable>> reference) {
    SearchOptions options;
    options.cache = cache;
    options.predictor = predictor;
    options.make_predictor = [&] { return std::make_unique<Recording>(heard); };
    if (reference) options.references = {std::move(reference)};
    History history(problem);
    for (size_t i : {3, 17, 30}) history.record(0, i, all[0][i], "");
    EXPECT_TRUE(posterior_of(history, 0, options).ok());
    return heard.size();
  };
  EXPECT_EQ(believe_by("a", nullptr), 1u);
  EXPECT_EQ(believe_by("a", nullptr), 1u);
  EXPECT_EQ(believe_by("b", nullptr), 2u);
  for (size_t i = 0; i < 5; ++i) {  // each gone before the next one is made, perhaps in its place
    WorkloadTable earlier;
    earlier.workload = "earlier";
    const auto reference = std::make_shared<const std::vector<WorkloadTable>>(1, earlier);
    EXPECT_EQ(believe_by("a", reference), 3 + i);
    EXPECT_EQ(believe_by("a", reference), 3 + i);
  }
}

}  // namespace
}  // namespace flyball
