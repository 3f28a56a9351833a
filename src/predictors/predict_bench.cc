// bench/run predict: seconds to fit 50 modes with two references of 4,368 rows (the first time,
// with the references' preparation), ms to predict 18,096 modes with intervals, both on one thread,
// and PowerTrain's fine-tuning against the same training in eager PyTorch. Boards are synthetic.
// usage: predict_bench [--rounds N]
//
// Peer: PyTorch | ${FLYBALL_PYTHON:-/usr/bin/python3} -c "import torch"
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "base/clock.h"
#include "base/json.h"
#include "base/statistics.h"
#include "baselines/nn/mlp.h"
#include "baselines/nn/mlp_kernel.h"
#include "predict/gp/gp.h"
#include "predict/known_board_testing.h"

namespace flyball {
namespace {

constexpr size_t modes = 50;
constexpr int repeats = 40, epochs = 100;

using Maker = std::unique_ptr<Predictor> (*)();

WorkloadTable measure(const std::string& name, double gpu_ms, uint64_t seed) {
  return testing_board::table_on(testing_board::full_grid(true),
                                 {name, gpu_ms, 500 / gpu_ms, 8, 10, 0.03}, 0.02, seed);
}

struct Seconds {
  double fit = 0, predict = 0;
};

Seconds time_once(Maker make, const std::vector<WorkloadTable>& references, uint64_t seed) {
  static const Space all = testing_board::full_grid();
  const WorkloadTable measured = testing_board::random_rows(measure("target", 30, 1), modes, seed);
  const auto predictor = make();
  const Stopwatch fitting;
  const Status fitted = predictor->fit(measured, references, {seed});
  Seconds seconds{fitting.seconds(), 0};
  const Stopwatch predicting;
  if (!fitted.ok() || !predictor->predict(all).ok()) std::exit(2);
  seconds.predict = predicting.seconds();
  return seconds;
}

double train_ours(uint64_t seed) {
  MlpOptions options;
  options.epochs = epochs;
  options.seed = seed;
  const auto kernel = mlp_kernel();
  if (!kernel) std::exit(2);
  Mlp network(**kernel, 4, options);
  Random random(seed);
  MlpRows training, validation;
  training.repeats = repeats;
  for (size_t i = 0; i < modes; ++i) {
    MlpRows& rows = i < modes / 5 ? validation : training;
    for (int d = 0; d < 4; ++d) rows.x.push_back(static_cast<float>(random.normal()));
    rows.y.push_back(static_cast<float>(100 * std::exp(0.3 * random.normal())));
  }
  const Stopwatch watch;
  network.renew_head(seed);
  network.train(training, validation, options);
  return watch.seconds();
}

double train_peer() {
  const char* python = std::getenv("FLYBALL_PYTHON");
  const std::string command =
      fmt::format("{} {}/bench/peers/pytorch_transfer.py {} {} {}",
                  python ? python : "/usr/bin/python3", FLYBALL_SOURCE_DIR, modes, repeats, epochs);
  std::FILE* pipe = ::popen(command.c_str(), "r");
  if (!pipe) return 0;
  char line[64] = "";
  const bool answered = std::fgets(line, sizeof line, pipe) != nullptr;
  ::pclose(pipe);
  return answered ? std::atof(line) : 0;
}

int run(int rounds) {
  std::map<std::string, std::vector<double>> seen;
  for (int round = 1; round <= rounds; ++round) {
    const auto seed = static_cast<uint64_t>(round);
    // Other references each time: prepared ones are kept.
    const std::vector<WorkloadTable> references = {measure("first", 20, 2 * seed),
                                                   measure("second", 40, 2 * seed + 1)};
    const Seconds cold = time_once(make_transfer_gp, references, seed);
    const Seconds alone = time_once(make_gp, {}, seed);
    seen["fit_s"].push_back(cold.fit);
    seen["predict_ms"].push_back(1e3 * cold.predict);
    seen["fit_gp_s"].push_back(alone.fit);
    seen["predict_gp_ms"].push_back(1e3 * alone.predict);
    const double ours = train_ours(seed), peer = train_peer();
    seen["transfer_nn_s"].push_back(ours);
    if (peer > 0) seen["pytorch_transfer_s"].push_back(peer);
    if (peer > 0) seen["transfer_nn_ratio"].push_back(peer / ours);
    fmt::print(stderr, "round {}: fit {:.3f} s, predict {:.1f} ms, network {:.2f} s, PyTorch {}\n",
               round, cold.fit, 1e3 * cold.predict, ours,
               peer > 0 ? fmt::format("{:.2f} s", peer) : "missing");
  }
  Json figures;
  for (const char* name :
       {"fit_s", "predict_ms", "transfer_nn_ratio", "transfer_nn_s", "pytorch_transfer_s",
        "fit_transfer_gp_s", "predict_transfer_gp_ms", "fit_gp_s", "predict_gp_ms"})
    if (seen.contains(name)) figures[name] = median(seen[name]);
  fmt::print("{}\n", Json{{"benchmark", "predict"}, {"figures", figures}}.dump());
  return 0;
}

}  // namespace
}  // namespace flyball

int main(int argc, char** argv) {
  const bool given = argc > 2 && std::string(argv[1]) == "--rounds";
  return flyball::run(given ? std::atoi(argv[2]) : 5);
}
