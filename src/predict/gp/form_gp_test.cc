#include "predict/gp/form_gp.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>

#include "base/random.h"
#include "predict/gp/form_fit.h"
#include "predict/gp/power_form.h"
#include "predict/gp/surface_forms.h"
#include "predict/gp/time_form.h"

namespace flyball {
namespace {

Space random_space(size_t n, bool batch, uint64_t seed) {
  std::vector<Axis> axes = {named_axis("cpu_cores"), named_axis("cpu_mhz"), named_axis("gpu_mhz"),
                            named_axis("mem_mhz")};
  if (batch) axes.push_back(named_axis("batch_size"));
  Space space(axes);
  Random random(seed);
  for (size_t i = 0; i < n; ++i) {
    std::vector<double> row = {2.0 + 2 * static_cast<double>(random.below(6)),
                               300 + 200.0 * static_cast<double>(random.below(10)),
                               100 + 100.0 * static_cast<double>(random.below(12)),
                               200 + 1000.0 * static_cast<double>(random.below(4))};
    if (batch) row.push_back(std::exp2(static_cast<double>(random.below(7))));
    space.add(row);
  }
  return space;
}

Vector perturbed(const std::vector<FormParameter>& parameters, uint64_t seed) {
  Random random(seed);
  Vector theta = prior_means(parameters);
  for (Index i = 0; i < theta.size(); ++i)
    theta[i] += parameters[static_cast<size_t>(i)].sd * random.normal();
  return theta;
}

void expect_jacobian(const SurfaceForm& form, const SurfaceRows& rows, uint64_t seed) {
  const Vector theta = perturbed(form.parameters, seed);
  const FormValue value = form.at(rows, theta);
  const double step = 1e-6;
  for (Index i = 0; i < theta.size(); ++i) {
    Vector up = theta, down = theta;
    up[i] += step;
    down[i] -= step;
    const Vector numeric = (form.at(rows, up).value - form.at(rows, down).value) / (2 * step);
    EXPECT_LT((numeric - value.jacobian.col(i)).cwiseAbs().maxCoeff(), 1e-6)
        << form.parameters[static_cast<size_t>(i)].name;
  }
}

class Forms : public testing::TestWithParam<bool> {};

TEST_P(Forms, HaveTheJacobiansOfTheirValues) {
  const Space space = random_space(20, GetParam(), 3);
  const Coordinates coordinates(space, "board", Phase::train);
  SurfaceRows rows{*coordinates.rows(space), Matrix(20, 0), Vector::LinSpaced(20, 0, 3)};
  for (uint64_t seed = 1; seed < 6; ++seed) {
    expect_jacobian(time_surface(coordinates), rows, seed);
    expect_jacobian(power_surface(coordinates), rows, seed);
  }
}

// They are computed over blocks of rows.
TEST_P(Forms, SayTheSameOfARowWhereverItStands) {
  const Space space = random_space(150, GetParam(), 3);
  const Coordinates coordinates(space, "board", Phase::train);
  const SurfaceRows all{*coordinates.rows(space), Matrix(150, 0), Vector::LinSpaced(150, 0, 3)};
  for (const SurfaceForm& form : {time_surface(coordinates), power_surface(coordinates)}) {
    const Vector theta = perturbed(form.parameters, 1);
    const FormValue value = form.at(all, theta);
    for (Index i = 0; i < all.size(); ++i) {
      const SurfaceRows one{all.rows.subset(std::array{i}), Matrix(1, 0),
                            all.log_time.segment(i, 1)};
      const FormValue alone = form.at(one, theta);
      EXPECT_NEAR(alone.value[0], value.value[i], 1e-12) << i;
      EXPECT_LT((alone.jacobian.row(0) - value.jacobian.row(i)).cwiseAbs().maxCoeff(), 1e-12) << i;
    }
  }
}

TEST_P(Forms, TimeFallsAndPowerAtGivenTimeRisesWithEveryClock) {
  const Space space = random_space(50, GetParam(), 4);
  const Coordinates coordinates(space, "board", Phase::train);
  SurfaceRows rows{*coordinates.rows(space), Matrix(50, 0), Vector::Zero(50)};
  for (uint64_t seed = 1; seed < 6; ++seed)
    for (Index role = 0; role < 4; ++role) {
      SurfaceRows faster = rows;
      faster.rows.roles.col(role).array() += 0.1;
      const SurfaceForm time = time_surface(coordinates), power = power_surface(coordinates);
      const Vector t = perturbed(time.parameters, seed), p = perturbed(power.parameters, seed);
      EXPECT_LE((time.at(faster, t).value - time.at(rows, t).value).maxCoeff(), 0);
      EXPECT_GE((power.at(faster, p).value - power.at(rows, p).value).minCoeff(), 0);
    }
}

/// Time of these rows by the form, its parameters at their priors but for those named.
std::vector<double> times(const Space& space, const std::map<std::string, double>& set) {
  const Coordinates coordinates(space, "board", Phase::infer);
  const TimeForm form(coordinates);
  Vector theta = prior_means(form.parameters());
  for (size_t i = 0; i < form.parameters().size(); ++i)
    for (const auto& [name, value] : set)
      if (form.parameters()[i].name.starts_with(name)) theta[static_cast<Index>(i)] = value;
  const Vector told = form.at(*coordinates.rows(space), theta).value.array().exp();
  return {told.begin(), told.end()};
}

constexpr double none = -20, sharp = 4;  // weight of a stage that is not there; the slowest counts

TEST(TimeFormTest, HandingABatchOverAddsToWhatTheGpuTakes) {
  const Space space =
      Space::grid({named_axis("cpu_mhz", {500, 2000}), named_axis("batch_size", {1, 64})});
  const auto with_handover = [&](double weight) {
    return times(space, {{"constant", none},
                         {"gpu_compute", 0},
                         {"gpu_memory", none},
                         {"gpu_serial", none},
                         {"serial_cpu", -2},
                         {"serial_memory", none},
                         {"serial_sample", weight},
                         {"loader", none},
                         {"gpu_fixed", none},
                         {"memory_fixed", none},
                         {"clock_offset", none},
                         {"stage_norm", sharp}});
  };
  const auto without = with_handover(none), with = with_handover(std::log(0.5));
  // The GPU takes all of the time at a batch of 64: 1, and with it 0.5 at the highest CPU clock.
  EXPECT_NEAR(without[3], 1, 0.01);
  EXPECT_NEAR(with[3], 1.5, 0.01);
  EXPECT_NEAR(with[1], 3, 0.01);  // at a quarter of the clock 2
}

TEST(TimeFormTest, OneCoreBearsTheSystemAloneAndManyShareIt) {
  const Space space =
      Space::grid({named_axis("cpu_cores", {1, 8}), named_axis("cpu_mhz", {500, 2000})});
  const auto told = times(space, {{"constant", none},
                                  {"serial_cpu", 0},
                                  {"serial_memory", none},
                                  {"gpu_", none},
                                  {"loader", none},
                                  {"clock_offset", std::log(0.1)},
                                  {"stage_norm", sharp}});
  // 0.1 of the highest clock is taken of one core, which has a quarter of it; or an eighth of that.
  EXPECT_GT(told[0] / told[1], 1.2 * 4);
  EXPECT_LT(told[2] / told[3], 1.06 * 4);
  EXPECT_GT(told[0], 1.3 * told[2]);
}

INSTANTIATE_TEST_SUITE_P(WithAndWithoutBatch, Forms, testing::Bool());

TEST(PowerFormTest, ActivityShareIsMinusTheSlopeByTime) {
  const Space space = random_space(20, true, 5);
  const Coordinates coordinates(space, "board", Phase::train);
  const PowerForm form(coordinates);
  const Rows rows = *coordinates.rows(space);
  const Vector time = Vector::LinSpaced(20, 0, 2), theta = perturbed(form.parameters(), 1);
  const Vector step = Vector::Constant(20, 1e-6);
  const Vector slope =
      (form.at(rows, time + step, theta).value - form.at(rows, time - step, theta).value) / 2e-6;
  const Vector share = form.activity_share(form.at(rows, time, theta).jacobian);
  EXPECT_LT((slope + share).cwiseAbs().maxCoeff(), 1e-6);
}

// y = 1 + 2 u, known noise, a mean function that is a line.
struct Line {
  Matrix x;
  Vector y;
  GpMean mean;

  Line(Index n, double noise, uint64_t seed) : x(n, 2), y(n) {
    Random random(seed);
    for (Index i = 0; i < n; ++i) {
      x(i, 0) = random.uniform(-1, 1);
      x(i, 1) = random.uniform(-1, 1);
      y[i] = 1 + 2 * x(i, 0) + noise * random.normal();
    }
    mean.prior_mean = Vector::Zero(2);
    mean.prior_sd = Vector::Constant(2, 3);
    mean.at = [this](const Vector& beta) { return at(x, beta); };
    mean.share = [](const Matrix& jacobian) { return jacobian.col(1).cwiseAbs(); };
  }
  static FormValue at(const Matrix& x, const Vector& beta) {
    FormValue value;
    value.jacobian.resize(x.rows(), 2);
    value.jacobian << Vector::Ones(x.rows()), x.col(0);
    value.value = value.jacobian * beta;
    return value;
  }
};

/// Of `all` rows the first were read; the others were told, and lie off together and each.
Matrix told_from(Index first, Index all, double level, double each) {
  Matrix errors = Matrix::Zero(all, all);
  auto told = errors.bottomRightCorner(all - first, all - first);
  told.setConstant(level * level);
  told.diagonal().array() += each * each;
  return errors;
}

TEST(FormGp, HasTheGradientOfItsMarginalLikelihood) {
  Line line(25, 0.05, 1);
  line.y[3] += 1;  // a row that will be down_weighted, so that its widening enters
  FormGp process;
  process.fit(CodedRows(line.x), line.y, line.mean, {}, told_from(15, 25, 0.5, 0.1));
  Random random(2);
  for (int trial = 0; trial < 5; ++trial) {
    Vector hyper = process.hyper();
    for (double& h : hyper) h += 0.5 * random.normal();
    Vector gradient, ignored;
    process.loss(hyper, gradient);
    for (Index i = 0; i < hyper.size(); ++i) {
      Vector up = hyper, down = hyper;
      up[i] += 1e-5;
      down[i] -= 1e-5;
      const double numeric = (process.loss(up, ignored) - process.loss(down, ignored)) / 2e-5;
      EXPECT_NEAR(gradient[i], numeric, 1e-4 * (1 + std::abs(numeric))) << "hyper " << i;
    }
  }
}

TEST(FormGp, RecoversALineWithItsNoise) {
  const Line line(200, 0.03, 3), fresh(200, 0, 4);
  FormGp process;
  process.fit(CodedRows(line.x), line.y, line.mean, {});
  const GpPosterior posterior =
      process.predict(CodedRows(fresh.x), Line::at(fresh.x, process.beta()), Vector::Zero(200));
  EXPECT_LT((posterior.mean - fresh.y).cwiseAbs().maxCoeff(), 0.03);
  EXPECT_NEAR(process.beta()[1], 2, 0.05);
  EXPECT_NEAR(std::sqrt(posterior.noise[0]), 0.03, 0.012);
}

TEST(FormGp, DistrustsOneFaultyRowAndNoOther) {
  Line line(40, 0.02, 5);
  line.y[7] -= 0.4;
  FormGp process;
  process.fit(CodedRows(line.x), line.y, line.mean, {});
  EXPECT_EQ(process.down_weighted(), std::vector<Index>{7});
  EXPECT_LT(process.left_out_error()[7], -0.3);
  const Line fresh(100, 0, 6);
  const GpPosterior posterior =
      process.predict(CodedRows(fresh.x), Line::at(fresh.x, process.beta()), Vector::Zero(100));
  EXPECT_LT((posterior.mean - fresh.y).cwiseAbs().maxCoeff(), 0.08);
}

TEST(FormGp, InterpolatesWhatTheMeanCannotSay) {
  Line line(80, 0.005, 7);
  for (Index i = 0; i < 80; ++i) line.y[i] += 0.3 * std::sin(3 * line.x(i, 1));
  FormGp process;
  process.fit(CodedRows(line.x), line.y, line.mean, {});
  Line fresh(200, 0, 8);
  for (Index i = 0; i < 200; ++i) fresh.y[i] += 0.3 * std::sin(3 * fresh.x(i, 1));
  const GpPosterior posterior =
      process.predict(CodedRows(fresh.x), Line::at(fresh.x, process.beta()), Vector::Zero(200));
  EXPECT_LT((posterior.mean - fresh.y).cwiseAbs().mean(), 0.02);
  const Vector sd = (posterior.variance + posterior.noise).cwiseSqrt();
  const double covered =
      ((posterior.mean - fresh.y).cwiseAbs().array() < 1.645 * sd.array()).cast<double>().mean();
  EXPECT_GT(covered, 0.8);
}

// Two readings beside each other say nothing of the slope; what is told does, though its level is
// off.
TEST(FormGp, TakesTheShapeOfWhatIsToldAndTheLevelOfWhatIsRead) {
  Line line(14, 0, 12), fresh(100, 0, 13);
  line.x(0, 0) = 0.5, line.x(1, 0) = 0.52;
  line.y.head(2) = Line::at(line.x.topRows(2), Eigen::Vector2d(1, 2)).value;
  line.y.tail(12).array() += 0.7;
  const auto error = [&](const Matrix& errors) {
    FormGp process;
    process.fit(CodedRows(line.x), line.y, line.mean, {}, errors);
    const GpPosterior posterior =
        process.predict(CodedRows(fresh.x), Line::at(fresh.x, process.beta()), Vector::Zero(100));
    EXPECT_TRUE(process.down_weighted().empty());
    return (posterior.mean - fresh.y).cwiseAbs().mean();
  };
  EXPECT_LT(error(told_from(2, 14, 1, 0.05)), 0.1);
  EXPECT_GT(error(told_from(2, 14, 0.01, 0.05)), 0.2) << "its level is believed";
}

TEST(FormGp, TakesOneRow) {
  const Line line(1, 0, 9);
  FormGp process;
  process.fit(CodedRows(line.x), line.y, line.mean, {});
  const GpPosterior posterior =
      process.predict(CodedRows(line.x), Line::at(line.x, process.beta()), Vector::Zero(1));
  EXPECT_NEAR(posterior.mean[0], line.y[0], 0.05);
}

TEST(FormGp, DrawsHaveTheMeanAndSpreadOfTheProcess) {
  const Line line(12, 0.02, 10), fresh(30, 0, 11);
  FormGp process;
  process.fit(CodedRows(line.x), line.y, line.mean, {}, told_from(3, 12, 0.3, 0.1));
  const FormValue there = Line::at(fresh.x, process.beta());
  const GpPosterior posterior = process.predict(CodedRows(fresh.x), there, Vector::Zero(30));
  const Matrix draws = process.draw(CodedRows(fresh.x), there, 8000, 1);
  const Vector mean = draws.colwise().mean();
  const Vector sd = (draws.rowwise() - mean.transpose()).colwise().norm() / std::sqrt(8000.0);
  EXPECT_LT((mean - posterior.mean).cwiseQuotient(sd).cwiseAbs().maxCoeff(), 0.06);
  EXPECT_LT((sd.cwiseQuotient(posterior.variance.cwiseSqrt()).array() - 1).abs().maxCoeff(), 0.08);
  // Near a reading a draw is what was read there, far from all of them each is its own.
  const Matrix at_readings =
      process.draw(CodedRows(line.x), Line::at(line.x, process.beta()), 200, 1);
  EXPECT_LT((at_readings.rowwise() - line.y.transpose()).leftCols(3).cwiseAbs().maxCoeff(), 0.15);
}

// Of a form that is a plane, worlds and what lies around them are what the closed forms say.
TEST(FormGp, WorldsHaveTheMeanAndSpreadOfTheProcess) {
  const Line line(12, 0.02, 10), fresh(30, 0, 11);
  FormGp process;
  process.fit(CodedRows(line.x), line.y, line.mean, {}, told_from(3, 12, 0.3, 0.1));
  const CodedRows x(fresh.x);
  const GpPosterior posterior =
      process.predict(x, Line::at(fresh.x, process.beta()), Vector::Zero(30));
  const Index count = 4000;
  const FormWorlds worlds = process.worlds(line.mean.at, count, 1);
  const AroundForms around = process.around(x, worlds);
  Matrix means = around.mean;
  for (Index i = 0; i < count; ++i) means.col(i) += Line::at(fresh.x, worlds.beta.col(i)).value;
  const Vector mean = means.rowwise().mean();
  const Vector variance =
      (means.colwise() - mean).rowwise().squaredNorm() / static_cast<double>(count) +
      around.variance;
  EXPECT_LT((mean - posterior.mean).cwiseAbs().maxCoeff(), 1e-6);  // in pairs of opposite signs
  EXPECT_LT((variance.cwiseQuotient(posterior.variance).array() - 1).abs().maxCoeff(), 0.1);
}

// y = log(1 + e^β u): at the most probable β the second term has no share, so that a plane there
// would never let it grow.
TEST(FormGp, AWorldMayHaveWhatTheMostProbableOneLacks) {
  const Vector u = Vector::Zero(3);
  const auto at = [](const Vector& factor, const Vector& beta) {
    const Vector grown = std::exp(beta[0]) * factor;
    FormValue value;
    value.value = (1 + grown.array()).log();
    value.jacobian = grown.array() / (1 + grown.array());
    return value;
  };
  GpMean mean{Vector::Constant(1, -4), Vector::Constant(1, 2),
              [&](const Vector& beta) { return at(u, beta); },
              [](const Matrix& jacobian) -> Vector { return Vector::Zero(jacobian.rows()); }};
  FormGp process;
  process.fit(CodedRows(Matrix(u)), Vector::Zero(3), mean, {});
  const FormWorlds worlds = process.worlds(mean.at, 64, 1);
  double highest = 0;
  for (Index i = 0; i < 64; ++i)
    highest = std::max(highest, at(Vector::Ones(1), worlds.beta.col(i)).value[0]);
  // Two deviations: β = 0.
  EXPECT_GT(highest, std::log(2.0));
  // In pairs about the prior's mean, since the readings say nothing of β.
  EXPECT_NEAR(worlds.beta.row(0).mean(), -4, 0.01);
}

}  // namespace
}  // namespace flyball
