// bench/run gp: seconds that the Gaussian processes take to fit 10 to 200 modes and to predict
// 18,096 modes with intervals, on one thread, and the error they leave. The board is synthetic.
// usage: gp_bench [--rounds N]
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <map>

#include "base/clock.h"
#include "base/json.h"
#include "base/statistics.h"
#include "predict/gp/gp.h"
#include "predict/known_board_testing.h"

namespace flyball {
namespace {

int run(int rounds) {
  const WorkloadTable all = testing_board::table_on(testing_board::full_grid(), {}, 0.01, 1);
  std::map<std::string, std::vector<double>> seen;
  std::vector<std::string> order;
  const auto note = [&](const std::string& name, double value) {
    if (!seen.contains(name)) order.push_back(name);
    seen[name].push_back(value);
  };
  for (int round = 1; round <= rounds; ++round)
    for (const size_t modes : {10, 50, 100, 200}) {
      const auto seed = static_cast<uint64_t>(round);
      const auto gp = make_gp();
      const Stopwatch fitting;
      if (!gp->fit(testing_board::random_rows(all, modes, seed), {}, {seed}).ok()) return 2;
      note(fmt::format("fit_s_{}", modes), fitting.seconds());
      const Stopwatch predicting;
      const auto prediction = gp->predict(all.space);
      if (!prediction.ok()) return 2;
      note(fmt::format("predict_ms_{}", modes), predicting.milliseconds());
      note(fmt::format("time_mape_{}", modes),
           mape(prediction->minibatch_ms.mean, all.minibatch_ms));
      note(fmt::format("power_mape_{}", modes), mape(prediction->power_w.mean, all.power_w));
    }
  Json figures;
  for (const std::string& name : order) figures[name] = median(seen[name]);
  fmt::print("{}\n", Json{{"benchmark", "gp"}, {"figures", figures}}.dump());
  return 0;
}

}  // namespace
}  // namespace flyball

int main(int argc, char** argv) {
  const bool given = argc > 2 && std::string(argv[1]) == "--rounds";
  return flyball::run(given ? std::atoi(argv[2]) : 5);
}
