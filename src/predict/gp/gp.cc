#include "predict/gp/gp.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "base/parallel.h"
#include "base/random.h"
#include "base/statistics.h"
#include "predict/gp/averaged_surface.h"
#include "predict/gp/moments.h"
#include "predict/gp/surface_forms.h"
#include "predict/gp/transfer_source.h"
#include "predict/gp/worlds_at.h"
#include "predict/of_total.h"
#include "predict/roofline/cost_form.h"
#include "predict/rows.h"

namespace flyball {
namespace {

constexpr size_t predicted_rows = 2048;  // predicted at a time, by one thread
constexpr double unknown_total = 3;      // of the level: a factor of twenty either way
constexpr size_t most_worlds = 32, worlds_of_many = 16, many_rows = 1'000;
constexpr size_t most_rows = 400;  // beyond them a random choice: the fit is cubic in their number

std::vector<float> floats(const Matrix& draws) {
  std::vector<float> values(static_cast<size_t>(draws.size()));
  Eigen::Map<Eigen::MatrixXf>(values.data(), draws.rows(), draws.cols()) = draws.cast<float>();
  return values;
}

class GpPredictor final : public Predictor {
 public:
  GpPredictor(bool transfer, const GpSettings& settings)
      : transfer_(transfer), settings_(settings) {}

  std::string name() const override { return transfer_ ? "transfer-gp" : "gp"; }

  Status fit(const WorkloadTable& given, std::span<const WorkloadTable> references,
             const FitOptions& options) override {
    fitted_ = false;
    notes_.clear();
    knowledge_.clear();
    prior_.reset();
    prior_axes_.clear();
    profiled_ = given.space.axes();
    transferred_ = transfer_ && (!references.empty() || given.prior);
    if (!transfer_) references = {};
    std::vector<WorkloadTable> known(references.begin(), references.end());
    if (transfer_) {
      FLYBALL_CHECK(check_rows(given, 0));
      hear(given, references);
      if (prior_) known.push_back(*given.prior);
    }
    const bool told = !knowledge_.empty();
    FLYBALL_CHECK(check_rows(given, told ? 0 : references.empty() ? 2 : 1));
    const WorkloadTable measured = thinned(given, options.seed);
    profiled_ = measured.space.axes();
    const Space& varying = measured.size() > 0 ? measured.space : knowledge_.front().space;
    coordinates_ = Coordinates(varying, measured.device, measured.phase, known);
    const bool alone = prior_ && measured.size() == 0;  // then no reference has a say
    const TargetTask task{measured.device, measured.phase,
                          alone ? TransferSources() : prepare(measured, references), prior_,
                          settings_.reference_weights};
    FLYBALL_ASSIGN(SurfaceRows rows, rows_of(measured.space));
    fit_time(measured, task, rows);
    has_power_ = measured.has_power() || (measured.size() == 0 && any_tells_power());
    if (has_power_) {
      rows.log_time = log_time(measured.space, rows);
      fit_power(measured, task, rows);
    }
    fitted_ = true;
    return {};
  }

  Result<Prediction> predict(const Space& space) const override {
    FLYBALL_CHECK(check_fitted());
    Prediction prediction;
    prediction.extrapolated = outside_profiled(profiled_, space);
    prediction.simulated_outside = prior_ && simulated(space);
    prediction.notes = notes_;
    std::vector<Result<Prediction>> parts(blocks(space), Prediction());
    parallel_for(parts.size(), [&](size_t part) {
      parts[part] = predict_block(space.subset(block_of(space, part)));
    });
    for (const Result<Prediction>& part : parts) {
      if (!part) return part.error();
      append(prediction.minibatch_ms, part->minibatch_ms);
      append(prediction.power_w, part->power_w);
    }
    return prediction;
  }

  Result<Draws> draw(const Space& space, size_t count, uint64_t seed) const override {
    FLYBALL_CHECK(check_fitted());
    FLYBALL_ASSIGN(const Block told, block(space));
    const auto draws = static_cast<Index>(count);
    const Matrix time = time_.draw(space, told.rows, draws, mix_seed(seed, 1));
    Draws result{count, floats(time), {}};
    if (!has_power_) return result;
    Matrix power = power_.draw(space, told.rows, draws, mix_seed(seed, 2));
    power -= (time.rowwise() - told.time.mean.transpose()) * told.activity.asDiagonal();
    result.log_w = floats(power);
    return result;
  }

  Result<Posterior> posterior(const Space& space, uint64_t seed) const override {
    FLYBALL_CHECK(check_fitted());
    const size_t count = space.size() > many_rows ? worlds_of_many : most_worlds;
    const SurfaceWorlds time = time_.worlds(static_cast<Index>(count), mix_seed(seed, 3));
    SurfaceWorlds power;
    if (has_power_) power = power_.worlds(static_cast<Index>(count), mix_seed(seed, 4));
    std::vector<Result<Posterior>> parts(blocks(space), Posterior());
    parallel_for(parts.size(), [&](size_t part) {
      parts[part] = posterior_of_block(space.subset(block_of(space, part)), time, power);
    });
    Posterior whole;
    for (const Result<Posterior>& part : parts) {
      if (!part) return part.error();
      for (const auto figure :
           {&Posterior::log_ms, &Posterior::sd_ms, &Posterior::log_w, &Posterior::sd_w}) {
        const std::vector<double>& own = (*part).*figure;
        (whole.*figure).insert((whole.*figure).end(), own.begin(), own.end());
      }
    }
    return whole;
  }

 private:
  Status check_fitted() const {
    if (fitted_) return {};
    return Error{Code::invalid_argument, fmt::format("{} has not been fitted", name()),
                 "call fit() first"};
  }

  static size_t blocks(const Space& space) {
    return std::max<size_t>(1, (space.size() + predicted_rows - 1) / predicted_rows);
  }
  static std::vector<size_t> block_of(const Space& space, size_t part) {
    std::vector<size_t> rows(std::min(predicted_rows, space.size() - part * predicted_rows));
    std::iota(rows.begin(), rows.end(), part * predicted_rows);
    return rows;
  }

  /// Mean and spread over these worlds, and around them.
  Result<Posterior> posterior_of_block(const Space& space, const SurfaceWorlds& time,
                                       const SurfaceWorlds& power) const {
    FLYBALL_ASSIGN(const Block told, block(space));
    WorldsAt times(time_, time, space, told.rows);
    std::optional<WorldsAt> powers;
    if (has_power_) powers.emplace(power_, power, space, told.rows);
    Moments of_time(told.rows.size()), of_power(told.rows.size());
    for (size_t w = 0; w < times.count(); ++w) {
      const Vector log_ms = times.mean(w, {});
      const Vector& around = times.variance(w);
      of_time.add(log_ms, around + told.time.noise);
      if (!powers) continue;
      const Vector through_time = told.activity.cwiseAbs2().cwiseProduct(around);
      of_power.add(powers->mean(w, log_ms.array() - time_.level()),
                   powers->variance(w) + through_time + told.power.noise);
    }
    Posterior posterior{of_time.mean(), of_time.sd(), {}, {}};
    if (powers) posterior.log_w = of_power.mean(), posterior.sd_w = of_power.sd();
    return posterior;
  }

  // Without anything that teaches it, it is the process alone, and says so.
  const char* speaker() const { return transferred_ ? "transfer-gp" : "gp"; }

  Result<SurfaceRows> rows_of(const Space& space) const {
    FLYBALL_ASSIGN(const Rows rows, coordinates_.rows(space));
    return SurfaceRows{rows, Matrix(rows.size(), 0), Vector::Zero(rows.size())};
  }
  Vector log_time(const Space& space, const SurfaceRows& rows) const {
    return time_.at(space, rows).posterior.mean.array() - time_.level();
  }
  bool any_tells_power() const {
    return std::ranges::any_of(knowledge_,
                               [](const PriorKnowledge& t) { return t.log_w.size() > 0; });
  }

  void fit_time(const WorkloadTable& measured, const TargetTask& task, const SurfaceRows& rows) {
    const TransferredFigure time{time_surface(coordinates_), &settings_.time,
                                 &settings_.time_transfer, &TransferSource::time_parameters,
                                 &TransferSource::time_field};
    time_.fit(time, task, measured.space, rows, measured.minibatch_ms,
              told_times(knowledge_, coordinates_));
    describe(time_, "time", measured, task.references);
  }

  void fit_power(const WorkloadTable& measured, const TargetTask& task, const SurfaceRows& rows) {
    std::vector<ToldRows> told = told_powers(knowledge_, coordinates_);
    for (ToldRows& one : told) one.rows.log_time = log_time(one.space, one.rows);
    const TransferredFigure power{power_surface(coordinates_), &settings_.power,
                                  &settings_.power_transfer, &TransferSource::power_parameters,
                                  &TransferSource::power_field};
    power_.fit(power, task, measured.space, rows, measured.power_w, told);
    describe(power_, "power", measured, task.references);
  }

  // Does the simulation tell of all that varies there, within what it was asked for?
  bool simulated(const Space& space) const {
    return std::ranges::all_of(varying_axes(space), [&](const Axis& axis) {
      const Axis* told = find_axis(prior_axes_, axis.name);
      return told && !told->values.empty() && told->values.front() <= axis.values.front() &&
             axis.values.back() <= told->values.back();
    });
  }

  // What is known of the workload before it is read: a simulation that somebody gave, and what
  // references of this board say of its cost.
  void hear(const WorkloadTable& given, std::span<const WorkloadTable> references) {
    const auto tell = [&](const WorkloadTable& table, ToldSpread time, ToldSpread power) {
      auto known = PriorKnowledge::of(table, target_of(given), time, power);
      if (!known.space.empty()) knowledge_.push_back(std::move(known));
    };
    if (given.prior && check_rows(*given.prior, 2).ok()) {
      prior_ = TransferSource::prepare(*given.prior);
      prior_axes_ = given.prior->space.axes();
      const bool same_total = given.power_total == given.prior->power_total;
      ToldSpread power = settings_.prior_power;
      if (!same_total) power.level = unknown_total;
      tell(*given.prior, settings_.prior_time, power);
      tell_prior(*given.prior, given, same_total);
    }
    if (!given.cost || !given.cost->by_kind() || !given.knows_batches()) return;
    const auto form = CostForm::fit(references, given.device, given.power_total);
    if (!form || (!form->of_several() && (prior_ || given.size() > 0))) return;
    tell(form->table_of(given), {form->time_level_sd(), form->time_rest_sd()},
         {form->power_level_sd(), form->power_rest_sd()});
    if (given.size() == 0) notes_.insert(notes_.end(), form->notes().begin(), form->notes().end());
  }

  // The axes of what is read; where nothing is, of what the simulation tells.
  Space target_of(const WorkloadTable& given) const {
    std::vector<Axis> axes = given.space.axes();
    for (Axis& axis : axes)
      if (const Axis* told = find_axis(prior_axes_, axis.name); told && axis.values.empty())
        axis.values = told->values;
    return Space(std::move(axes));
  }

  void tell_prior(const WorkloadTable& prior, const WorkloadTable& measured, bool same_total) {
    if (measured.size() == 0) return;
    notes_.push_back(fmt::format("{}: beside what was measured stands what {} is simulated to do",
                                 speaker(), prior.title()));
    if (!same_total && prior.has_power() && measured.has_power())
      notes_.push_back(other_total(prior, measured));
  }

  /// What the processes say of a space.
  struct Block {
    SurfaceRows rows;  ///< as power is asked about
    GpPosterior time, power;
    Vector activity;  ///< by how much power falls with time, logarithms of both
  };

  Result<Block> block(const Space& space) const {
    FLYBALL_ASSIGN(SurfaceRows rows, rows_of(space));
    Block block{std::move(rows), {}, {}, {}};
    block.time = time_.at(space, block.rows).posterior;
    if (!has_power_) return block;
    block.rows.log_time = block.time.mean.array() - time_.level();
    Surface::Answer power = power_.at(space, block.rows);
    // Power hangs on time through the activity terms.
    block.activity = power_surface(coordinates_).share(power.jacobian);
    power.posterior.variance +=
        block.activity.array().square().matrix().cwiseProduct(block.time.variance);
    block.power = std::move(power.posterior);
    return block;
  }

  Result<Prediction> predict_block(const Space& space) const {
    FLYBALL_ASSIGN(const Block told, block(space));
    Prediction prediction;
    prediction.minibatch_ms = estimates(told.time.mean, told.time.variance + told.time.noise);
    if (has_power_)
      prediction.power_w = estimates(told.power.mean, told.power.variance + told.power.noise);
    return prediction;
  }

  WorkloadTable thinned(const WorkloadTable& given, uint64_t seed) {
    if (given.size() <= most_rows) return given;
    notes_.push_back(fmt::format("{}: fitted on {} of {} measurements, chosen at random", speaker(),
                                 most_rows, given.size()));
    auto chosen = Random(mix_seed(seed, given.size())).sample(given.size(), most_rows);
    std::ranges::sort(chosen);
    return take_rows(given, chosen);
  }

  TransferSources prepare(const WorkloadTable& measured,
                          std::span<const WorkloadTable> references) {
    TransferSources ready;
    for (const WorkloadTable& reference : references) {
      const bool shared = std::ranges::any_of(varying_axes(reference.space), [&](const Axis& a) {
        return measured.space.axis_index(a.name).has_value();
      });
      if (!shared || !check_rows(reference, 2).ok()) {
        notes_.push_back(fmt::format("{}: reference {} was left out: {}", speaker(),
                                     reference.title(),
                                     shared ? check_rows(reference, 2).error().message
                                            : "none of its axes is one of the target's"));
        continue;
      }
      if (reference.power_total != measured.power_total && reference.has_power())
        notes_.push_back(other_total(reference, measured));
      ready.push_back(TransferSource::prepare(reference));
    }
    return ready;
  }

  // Only the shape of a reference's power is used; how far the totals lie apart is told.
  std::string other_total(const WorkloadTable& reference, const WorkloadTable& measured) const {
    std::vector<double> offsets;
    for (size_t i = 0; i < measured.size(); ++i) {
      const auto row = reference.space.to_row(measured.space.settings(i));
      const auto found = row ? reference.space.find(*row) : std::nullopt;
      const double ratio = found ? measured.power_w[i] / reference.power_w[*found] : NAN;
      if (std::isfinite(ratio)) offsets.push_back(std::log(ratio));
    }
    return fmt::format(
        "{}: power of reference {} is {}, that of the target {}: only its shape is used, the level "
        "is fitted{}",
        speaker(), reference.title(), of_total(reference), of_total(measured),
        offsets.empty() ? ""
                        : fmt::format(" ({:+.1f} % against the reference's, over {} modes of both)",
                                      100 * std::expm1(median(offsets)), offsets.size()));
  }

  void describe(const AveragedSurface& fitted, const char* figure, const WorkloadTable& measured,
                const TransferSources& offered) {
    if (measured.size() == 0) return;
    if (!offered.empty() && fitted.alone())
      notes_.push_back(
          fmt::format("{}: no reference helps with {}, it is fitted alone", speaker(), figure));
    for (Index i : fitted.process().down_weighted())
      notes_.push_back(fmt::format(
          "{}: {} at {} was distrusted: it lies {:+.1f} % from what the others let expect",
          speaker(), figure,
          flyball::describe(measured.space.settings(static_cast<size_t>(fitted.row_of(i)))),
          100 * std::expm1(fitted.process().left_out_error()[i])));
  }

  bool transfer_, transferred_ = false, fitted_ = false;
  GpSettings settings_;
  std::vector<Axis> profiled_;
  Coordinates coordinates_;
  AveragedSurface time_, power_;
  bool has_power_ = false;
  std::vector<PriorKnowledge> knowledge_;        // what is known without readings
  std::shared_ptr<const TransferSource> prior_;  // one of them is a simulation, over these axes
  std::vector<Axis> prior_axes_;
  std::vector<std::string> notes_;
};

}  // namespace

std::unique_ptr<Predictor> make_gp_with(bool transfer, const GpSettings& settings) {
  return std::make_unique<GpPredictor>(transfer, settings);
}
std::unique_ptr<Predictor> make_gp() {
  return make_gp_with(false, {});
}
std::unique_ptr<Predictor> make_transfer_gp() {
  return make_gp_with(true, {});
}

}  // namespace flyball
