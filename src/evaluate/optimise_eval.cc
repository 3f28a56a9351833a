#include "evaluate/optimise_eval.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>

#include "base/json.h"
#include "base/random.h"
#include "base/text.h"
#include "base/units.h"
#include "evaluate/budget_choice.h"
#include "predictors/registry.h"
#include "search/posterior.h"

namespace flyball {
namespace {

struct OptimiseScore {
  BudgetScore score;
  std::vector<BudgetChoice> choices;
  std::vector<std::string> notes;
  std::optional<Error> error;
};

Result<Posteriors> posterior_of(const std::string& name, const OptimiseEvaluation& evaluation,
                                const WorkloadTable& truth, const BudgetProblem& problem,
                                const std::vector<size_t>& profiled, uint64_t seed,
                                std::vector<std::string>& notes) {
  FLYBALL_ASSIGN(auto predictor, make_predictor(name));
  FLYBALL_CHECK(predictor->fit(take_rows(truth, profiled), evaluation.references, {seed}));
  FLYBALL_ASSIGN(Prediction prediction, predictor->predict(truth.space));
  if (prediction.power_w.mean.empty())
    return Error{Code::invalid_argument, name + " predicts no power here", ""};
  notes = prediction.notes;
  Posteriors posteriors;
  posteriors.time = std::move(prediction.minibatch_ms.mean);
  posteriors.power = std::move(prediction.power_w.mean);
  posteriors.measured.assign(truth.size(), false);
  for (size_t i = 0; i < truth.size(); ++i) {
    // Per sample where the problem counts so.
    posteriors.time[i] *= problem.time()[i] / truth.minibatch_ms[i];
    posteriors.power_above.push_back(prediction.power_w.hi90[i] - posteriors.power[i]);
  }
  if (evaluation.predictions_only) return posteriors;
  for (size_t i : profiled) {
    posteriors.time[i] = problem.time()[i];
    if (std::isnan(problem.power()[i])) continue;
    posteriors.power[i] = problem.power()[i];
    posteriors.measured[i] = true;
  }
  return posteriors;
}

// The search that a person who has profiled these modes would make.
Result<BudgetSearch> search_ground(const std::string& name, const OptimiseEvaluation& evaluation,
                                   const WorkloadTable& truth, const std::vector<size_t>& profiled,
                                   uint64_t seed) {
  BudgetSearch ground;
  FLYBALL_ASSIGN(Candidates candidates, Candidates::link({truth.space}));
  ground.candidates = std::make_shared<const Candidates>(std::move(candidates));
  ground.role = role_of(truth);
  FLYBALL_ASSIGN(ground.readings, readings_of(*ground.candidates, std::array{&truth}));
  for (size_t row : profiled) ground.options.known.push_back({0, row, ground.readings[0][row]});
  ground.options.profile_budget = evaluation.verify;
  ground.options.seed = seed;
  ground.options.predictor = name;
  ground.options.make_predictor = [name] { return *make_predictor(name); };
  ground.options.references = {
      std::make_shared<const std::vector<WorkloadTable>>(evaluation.references)};
  ground.options.cache = std::make_shared<PredictionCache>();
  return ground;
}

OptimiseScore optimise_once(const std::string& name, const OptimiseEvaluation& evaluation,
                            const WorkloadTable& truth, const BudgetProblem& problem,
                            const std::vector<size_t>& profiled, uint64_t seed) {
  OptimiseScore run;
  if (evaluation.verify > 0) {
    const auto ground = search_ground(name, evaluation, truth, profiled, seed);
    if (!ground) return run.error = ground.error(), run;
    for (double budget : problem.budgets_w()) run.choices.push_back(search_within(*ground, budget));
  } else {
    const auto posteriors =
        posterior_of(name, evaluation, truth, problem, profiled, seed, run.notes);
    if (!posteriors) return run.error = posteriors.error(), run;
    for (double budget : problem.budgets_w())
      run.choices.push_back({choose_within(*posteriors, budget, evaluation.confidence), 0});
  }
  run.score = problem.score(run.choices);
  return run;
}

// The best of the profiled modes, as measured (RND when they are random).
OptimiseScore best_profiled(const BudgetProblem& problem, const std::vector<size_t>& profiled) {
  Posteriors posteriors;
  for (size_t i : profiled) {
    posteriors.time.push_back(problem.time()[i]);
    posteriors.power.push_back(problem.power()[i]);
  }
  posteriors.power_above.assign(profiled.size(), 0);
  posteriors.measured.assign(profiled.size(), true);
  OptimiseScore run;
  for (double budget : problem.budgets_w()) {
    const auto best = choose_within(posteriors, budget, 0.5);
    run.choices.push_back({best ? std::optional(profiled[*best]) : std::nullopt, 0});
  }
  run.score = problem.score(run.choices);
  return run;
}

OptimiseRow summarise_optimising(const std::string& name, std::span<const OptimiseScore> runs) {
  OptimiseRow row;
  row.predictor = name;
  row.runs = runs.size();
  row.notes = runs.front().notes;
  for (const OptimiseScore& run : runs)
    if (run.error) {
      row.error = run.error->message;
      return row;
    }
  const auto over = [&](auto value) {
    std::vector<double> values;
    for (const OptimiseScore& run : runs)
      if (const double of = value(run.score); !std::isnan(of)) values.push_back(of);
    return values.empty() ? not_known : median(values);
  };
  BudgetScore& score = row.score;
  score.solvable = runs.front().score.solvable;
  score.raw_penalty = {over([](const auto& s) { return s.raw_penalty.median; }),
                       over([](const auto& s) { return s.raw_penalty.q1; }),
                       over([](const auto& s) { return s.raw_penalty.q3; })};
  score.robust_penalty = {over([](const auto& s) { return s.robust_penalty.median; }),
                          over([](const auto& s) { return s.robust_penalty.q1; }),
                          over([](const auto& s) { return s.robust_penalty.q3; })};
  score.area_w = over([](const auto& s) { return s.area_w; });
  score.al_pct = over([](const auto& s) { return s.al_pct; });
  score.al1_pct = over([](const auto& s) { return s.al1_pct; });
  size_t extra = 0, choices = 0;
  for (const OptimiseScore& run : runs) {
    score.exceeded += run.score.exceeded;
    score.unsolved += run.score.unsolved;
    score.suspicious += run.score.suspicious;
    for (const BudgetChoice& choice : run.choices) {
      extra += choice.extra_profiles;
      row.extra_max = std::max(row.extra_max, choice.extra_profiles);
      ++choices;
    }
  }
  row.extra_mean = static_cast<double>(extra) / static_cast<double>(std::max<size_t>(1, choices));
  return row;
}

Status check_optimising(const OptimiseEvaluation& evaluation, const WorkloadTable& truth) {
  if (!truth.has_power())
    return Error{Code::invalid_argument, truth.title() + " has no power readings",
                 "a power budget needs a table with power_w"};
  if (evaluation.budgets_w.empty() || evaluation.runs == 0)
    return Error{Code::invalid_argument, "nothing to evaluate",
                 "give at least one budget and one run"};
  if (!(evaluation.confidence > 0 && evaluation.confidence < 1))
    return Error{Code::invalid_argument,
                 fmt::format("a confidence of {} is not between 0 and 1", evaluation.confidence),
                 "0.5 takes the predicted mean"};
  return evaluation.check_predictors();
}

Json quartiles_json(const Quartiles& q, bool known) {
  if (!known || std::isnan(q.median)) return nullptr;
  return {{"median", q.median}, {"q1", q.q1}, {"q3", q.q3}};
}

}  // namespace

Result<OptimiseReport> evaluate_optimise(const OptimiseEvaluation& evaluation) {
  const WorkloadTable truth = merge_repeats(evaluation.target);
  FLYBALL_CHECK(check_optimising(evaluation, truth));
  const BudgetProblem problem(truth, evaluation.budgets_w);
  if (problem.solvable() == 0)
    return Error{Code::invalid_argument,
                 fmt::format("no mode of {} keeps any of the budgets, up to {} W", truth.title(),
                             evaluation.budgets_w.back()),
                 "raise --budgets"};
  std::vector<std::vector<size_t>> profiled(evaluation.runs);
  for (size_t run = 0; run < evaluation.runs; ++run) {
    FLYBALL_ASSIGN(profiled[run],
                   evaluation.choose_modes(truth, evaluation.design, evaluation.modes, run));
  }
  const size_t runs = evaluation.runs;
  const auto scores = evaluation.score_all(evaluation.predictors.size() * runs, [&](size_t i) {
    return optimise_once(evaluation.predictors[i / runs], evaluation, truth, problem,
                         profiled[i % runs], mix_seed(evaluation.seed, i % runs));
  });

  OptimiseReport report{truth.title(),
                        evaluation.design,
                        evaluation.budgets_w,
                        evaluation.modes,
                        evaluation.runs,
                        problem.solvable(),
                        problem.suspicious_rows(),
                        evaluation.verify,
                        evaluation.confidence,
                        {}};
  OptimiseScore maxn;
  maxn.choices.assign(evaluation.budgets_w.size(), {problem.maxn(), 0});
  maxn.score = problem.score(maxn.choices);
  report.rows.push_back(summarise_optimising("maxn", std::span(&maxn, 1)));
  std::vector<OptimiseScore> observed;
  for (const auto& modes : profiled) observed.push_back(best_profiled(problem, modes));
  report.rows.push_back(summarise_optimising("rnd", observed));
  bool any = evaluation.predictors.empty();
  for (size_t p = 0; p < evaluation.predictors.size(); ++p) {
    report.rows.push_back(
        summarise_optimising(evaluation.predictors[p], std::span(scores).subspan(p * runs, runs)));
    any = any || report.rows.back().error.empty();
  }
  if (!any)
    for (const OptimiseScore& score : scores)
      if (score.error) return *score.error;
  return report;
}

Json to_json(const OptimiseReport& report) {
  Json rows = Json::array();
  for (const OptimiseRow& row : report.rows) {
    const bool known = row.error.empty();
    const auto figure = [&](auto value) { return known ? Json(value) : Json(nullptr); };
    rows.push_back({{"predictor", row.predictor},
                    {"runs", row.runs},
                    {"time_penalty", quartiles_json(row.score.raw_penalty, known)},
                    {"robust_time_penalty", quartiles_json(row.score.robust_penalty, known)},
                    {"area_w", figure(row.score.area_w)},
                    {"al_pct", figure(row.score.al_pct)},
                    {"al1_pct", figure(row.score.al1_pct)},
                    {"exceeded", figure(row.score.exceeded)},
                    {"unsolved", figure(row.score.unsolved)},
                    {"suspicious_choices", figure(row.score.suspicious)},
                    {"extra_profiles_mean", figure(row.extra_mean)},
                    {"extra_profiles_max", figure(row.extra_max)},
                    {"notes", row.notes},
                    {"error", known ? Json(nullptr) : Json(row.error)}});
  }
  return {{"target", report.target},
          {"design", report.design},
          {"modes", report.modes},
          {"runs", report.runs},
          {"budgets_w", report.budgets_w},
          {"solvable", report.solvable},
          {"verify", report.verify},
          {"confidence", report.confidence},
          {"suspicious_rows", report.suspicious_rows},
          {"rows", rows}};
}

Result<std::vector<double>> parse_budgets(const std::string& text) {
  const Error bad{Code::invalid_argument, fmt::format("'{}' is not a range of budgets", text),
                  "write FIRST:LAST:STEP, such as 17:50:1W, or 20,30,40W"};
  const bool range = text.find(':') != std::string::npos;
  std::vector<double> numbers;
  const size_t last_digit = text.find_last_of("0123456789.");
  const std::string unit = last_digit == std::string::npos ? "" : text.substr(last_digit + 1);
  for (const std::string& piece : split(text, range ? ':' : ',')) {
    const bool bare = parse_double(piece).has_value();
    const auto power = parse_watts(bare ? piece + unit : piece);
    if (!power && bare && unit.empty())
      return Error{Code::invalid_argument, fmt::format("'{}' has no unit", text),
                   fmt::format("say {0}W or {0}mW", text)};
    if (!power || !(power->value > 0)) return bad;
    numbers.push_back(power->value);
  }
  if (!range) {
    for (size_t i = 1; i < numbers.size(); ++i)
      if (numbers[i] <= numbers[i - 1]) return bad;
    return numbers;
  }
  if (numbers.size() == 2) numbers.push_back(1);
  if (numbers.size() != 3 || numbers[1] < numbers[0] ||
      (numbers[1] - numbers[0]) / numbers[2] > 1e5)
    return bad;
  std::vector<double> budgets;
  for (size_t i = 0; numbers[0] + static_cast<double>(i) * numbers[2] <= numbers[1] + 1e-9; ++i)
    budgets.push_back(numbers[0] + static_cast<double>(i) * numbers[2]);
  return budgets;
}

}  // namespace flyball
