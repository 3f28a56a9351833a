#include "predict/gp/gp.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "base/parallel.h"
#include "base/random.h"
#include "base/statistics.h"
#include "base/text.h"
#include "predict/gp/surface_forms.h"
#include "predict/gp/teach.h"
#include "predict/gp/transfer_source.h"
#include "predict/interval.h"
#include "predict/roofline/cost_form.h"
#include "predict/rows.h"

namespace flyball {
namespace {

constexpr size_t block_rows = 2048;  // predicted at a time, by one thread
constexpr size_t most_rows = 400;  // beyond them a random choice: the fit is cubic in their number

/// Time or power: which of the references' properties it uses.
struct Figure {
  SurfaceForm form;
  const SurfacePriors* alone;
  const SurfacePriors* transfer;
  SourceParameters parameters;
  Vector (TransferSource::*field)(const Space&) const;
};

/// A fitted figure with the references it settled on.
struct Fitted {
  Surface surface;
  TransferSources references;
  Vector (TransferSource::*field)(const Space&) const = nullptr;
  std::vector<Index> known;  ///< the measured rows that have this figure

  Matrix fields(const Space& space) const {
    Matrix all(static_cast<Index>(space.size()), static_cast<Index>(references.size()));
    for (size_t r = 0; r < references.size(); ++r)
      all.col(static_cast<Index>(r)) = (*references[r].*field)(space);
    return all;
  }
};

class GpPredictor final : public Predictor {
 public:
  GpPredictor(bool transfer, const GpSettings& settings)
      : transfer_(transfer), settings_(settings) {}

  std::string name() const override { return transfer_ ? "transfer-gp" : "gp"; }

  Status fit(const WorkloadTable& given, std::span<const WorkloadTable> references,
             const FitOptions& options) override {
    form_.reset();
    if (transfer_ && given.size() < 2 && takes_form(given, references)) return {};
    FLYBALL_CHECK(check_rows(given, 2));
    const WorkloadTable measured = thinned(given, options.seed);
    if (!transfer_) references = {};
    profiled_ = measured.space.axes();
    device_ = measured.device;
    phase_ = measured.phase;
    coordinates_ = Coordinates(measured.space, measured.device, references);
    const TransferSources ready = prepare(measured, references);
    FLYBALL_ASSIGN(const Rows rows, coordinates_.rows(measured.space));
    const SurfaceRows all{rows, Matrix(rows.size(), 0), Vector::Zero(rows.size())};

    const Figure time{time_surface(coordinates_), &settings_.time, &settings_.time_transfer,
                      &TransferSource::time_parameters, &TransferSource::time_field};
    time_ = settle(time, measured.space, all, measured.minibatch_ms, ready);
    SurfaceRows with_time = all;
    with_time.fields = time_.fields(measured.space);
    with_time.log_time = time_.surface.at(with_time).posterior.mean.array() - time_.surface.level();

    has_power_ = measured.has_power();
    describe(time_, "time", measured, ready);
    if (!has_power_) return {};
    with_time.fields.resize(rows.size(), 0);
    const Figure power{power_surface(coordinates_), &settings_.power, &settings_.power_transfer,
                       &TransferSource::power_parameters, &TransferSource::power_field};
    power_ = settle(power, measured.space, with_time, measured.power_w, ready);
    describe(power_, "power", measured, ready);
    return {};
  }

  Result<Prediction> predict(const Space& space) const override {
    Prediction prediction;
    if (form_) prediction = form_->predict(space, phase_, *work_);
    prediction.extrapolated = outside_profiled(profiled_, space);
    if (form_) return prediction;
    prediction.notes = notes_;
    std::vector<Result<Prediction>> parts(
        std::max<size_t>(1, (space.size() + block_rows - 1) / block_rows), Prediction());
    parallel_for(parts.size(), [&](size_t part) {
      std::vector<size_t> rows(std::min(block_rows, space.size() - part * block_rows));
      std::iota(rows.begin(), rows.end(), part * block_rows);
      parts[part] = predict_block(space.subset(rows));
    });
    for (const Result<Prediction>& part : parts) {
      if (!part) return part.error();
      append(prediction.minibatch_ms, part->minibatch_ms);
      append(prediction.power_w, part->power_w);
    }
    return prediction;
  }

 private:
  // With fewer readings than a process needs, what the board's form of cost says is the answer.
  bool takes_form(const WorkloadTable& given, std::span<const WorkloadTable> references) {
    const auto work = NetworkWork::of(given);
    if (!work || !check_rows(given, 0).ok()) return false;
    auto form = CostForm::fit(references, given.device, given.power_total);
    if (!form) return false;
    form->settle(given, *work);
    profiled_ = given.space.axes();
    phase_ = given.phase;
    form_ = *std::move(form);
    work_ = *work;
    return true;
  }

  Result<Prediction> predict_block(const Space& space) const {
    FLYBALL_ASSIGN(const Rows rows, coordinates_.rows(space));
    Prediction prediction;
    SurfaceRows asked{rows, time_.fields(space), Vector::Zero(rows.size())};
    const GpPosterior time = time_.surface.at(asked).posterior;
    prediction.minibatch_ms = estimates(time.mean, time.variance + time.noise);
    if (!has_power_) return prediction;
    asked.log_time = time.mean.array() - time_.surface.level();
    asked.fields = power_.fields(space);
    const Surface::Answer power = power_.surface.at(asked);
    // Power hangs on time through the activity terms.
    const SurfaceForm form = power_surface(coordinates_);
    const Vector slope = form.share(power.jacobian);
    prediction.power_w = estimates(power.posterior.mean,
                                   power.posterior.variance + power.posterior.noise +
                                       slope.array().square().matrix().cwiseProduct(time.variance));
    return prediction;
  }

  static void append(Estimates& all, const Estimates& part) {
    all.mean.insert(all.mean.end(), part.mean.begin(), part.mean.end());
    all.lo90.insert(all.lo90.end(), part.lo90.begin(), part.lo90.end());
    all.hi90.insert(all.hi90.end(), part.hi90.begin(), part.hi90.end());
  }

  static Estimates estimates(const Vector& mean, const Vector& variance) {
    Estimates result;
    for (Index i = 0; i < mean.size(); ++i) {
      const double reach = z90 * std::sqrt(variance[i]);
      result.mean.push_back(std::exp(mean[i]));
      result.lo90.push_back(std::exp(mean[i] - reach));
      result.hi90.push_back(std::exp(mean[i] + reach));
    }
    return result;
  }

  WorkloadTable thinned(const WorkloadTable& given, uint64_t seed) {
    notes_.clear();
    if (given.size() <= most_rows) return given;
    notes_.push_back(fmt::format("{}: fitted on {} of {} measurements, chosen at random", name(),
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
        notes_.push_back(fmt::format("{}: reference {} was left out: {}", name(), reference.title(),
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
        "{}: power of reference {} is the total '{}', that of the target '{}': only its shape is "
        "used, the level is fitted{}",
        name(), reference.title(), reference.power_total, measured.power_total,
        offsets.empty() ? ""
                        : fmt::format(" ({:+.1f} % against the reference's, over {} modes of both)",
                                      100 * std::expm1(median(offsets)), offsets.size()));
  }

  Fitted fit_with(const Figure& figure, const Space& space, SurfaceRows rows,
                  const std::vector<Index>& known, const Vector& y,
                  const TransferSources& references) const {
    Fitted fitted{{}, references, figure.field, known};
    rows.fields = fitted.fields(space);
    SurfaceForm form = figure.form;
    teach(form.parameters, references, figure.parameters, device_, phase_, settings_.teaching);
    const SurfaceRows kept{rows.rows.subset(known), rows.fields(known, Eigen::all),
                           rows.log_time(known)};
    fitted.surface.fit(form, kept, y(known), references.empty() ? *figure.alone : *figure.transfer);
    return fitted;
  }

  // Each set of references (none, each, all) is a model of its own; the readings say which of them
  // is most probable.
  Fitted settle(const Figure& figure, const Space& space, const SurfaceRows& rows,
                const std::vector<double>& values, const TransferSources& references) const {
    std::vector<Index> known;
    Vector y(rows.size());
    for (Index i = 0; i < rows.size(); ++i) {
      y[i] = std::log(values[static_cast<size_t>(i)]);
      if (std::isfinite(y[i])) known.push_back(i);
    }
    Fitted best = fit_with(figure, space, rows, known, y, {});
    std::vector<TransferSources> sets;
    if (!references.empty()) sets.push_back(references);
    if (references.size() > 1)
      for (const auto& reference : references) sets.push_back({reference});
    for (const TransferSources& set : sets) {
      Fitted taught = fit_with(figure, space, rows, known, y, set);
      if (taught.surface.process().evidence() > best.surface.process().evidence())
        best = std::move(taught);
    }
    return best;
  }

  void describe(const Fitted& fitted, const char* figure, const WorkloadTable& measured,
                const TransferSources& offered) {
    if (!offered.empty() && fitted.references.empty())
      notes_.push_back(
          fmt::format("{}: no reference helps with {}, it is fitted alone", name(), figure));
    for (Index i : fitted.surface.process().distrusted()) {
      const auto row = static_cast<size_t>(fitted.known[static_cast<size_t>(i)]);
      notes_.push_back(fmt::format(
          "{}: {} at {} was distrusted: it lies {:+.1f} % from what the others let expect", name(),
          figure, flyball::describe(measured.space.settings(row)),
          100 * std::expm1(fitted.surface.process().left_out_error()[i])));
    }
  }

  bool transfer_;
  GpSettings settings_;
  std::vector<Axis> profiled_;
  std::string device_;
  Phase phase_ = Phase::train;
  Coordinates coordinates_;
  Fitted time_, power_;
  bool has_power_ = false;
  std::optional<CostForm> form_;  // in the place of the processes
  std::optional<NetworkWork> work_;
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
