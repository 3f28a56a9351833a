#include "cli/commands/plan/plan_arrivals.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/figure.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/output.h"
#include "schedule/planning/arrival_answer.h"
#include "tune/role_choices.h"

namespace flyball::cli {

Result<std::vector<ArrivalSpec>> read_arrivals(const std::vector<std::string>& texts,
                                               const std::vector<double>& rates_hz,
                                               size_t services) {
  FLYBALL_CHECK(check_count("--arrivals", texts.size(), services));
  FLYBALL_CHECK(check_count("--rate", rates_hz.size(), services));
  std::vector<ArrivalSpec> specs;
  bool takes_rate = rates_hz.empty();
  for (size_t s = 0; s < services; ++s) {
    std::string text = texts.size() > 1 ? texts[s] : texts.front();
    const bool by_rate = text == "poisson" || text == "constant";
    if (by_rate) {
      if (rates_hz.empty())
        return Error{Code::invalid_argument, fmt::format("--arrivals {} needs a rate", text),
                     fmt::format("write {}:60, or add --rate 60", text)};
      takes_rate = true;
      text += fmt::format(":{}", rates_hz.size() > 1 ? rates_hz[s] : rates_hz.front());
    }
    FLYBALL_ASSIGN(ArrivalSpec spec, parse_arrivals(text));
    spec.by_rate = by_rate;
    takes_rate = takes_rate || spec.kind == ArrivalKind::http;
    specs.push_back(std::move(spec));
  }
  if (!takes_rate)
    return Error{Code::invalid_argument,
                 fmt::format("--rate says nothing beside --arrivals {}, which has its own rate",
                             specs.front().text),
                 "leave one of them out"};
  return specs;
}

namespace {

// Over http `serve` keeps more of the latency than was planned with; null where it does not. Kept
// so there may be no plan.
Result<std::optional<std::string>> margin_note(const ArrivalQuestion& question) {
  const Request& request = question.request;
  double kept_ms = 0;
  for (const double latency_ms : request.latencies_ms)
    if (const double usual = usual_margin.of_ms(latency_ms);
        usual > request.margin.of_ms(latency_ms))
      kept_ms = std::max(kept_ms, usual);
  if (kept_ms == 0) return std::optional<std::string>();
  const std::string margin = upper_figure(kept_ms, 4);
  FLYBALL_ASSIGN(const bool keeps,
                 plans_with_margin(question, {.least_ms = parse_double(margin).value_or(kept_ms)}));
  return std::optional(fmt::format(
      "planned without a way to the client: over http `flyball serve` keeps {0}ms of the latency "
      "for it unless told otherwise; {1}",
      margin,
      keeps ? fmt::format("--margin {}ms plans with that", margin)
            : fmt::format("with that no choice keeps the limits: --margin {}ms says what would do",
                          margin)));
}

}  // namespace

Status plan_for_arrivals(PlanOptions& options, Context& context) {
  FLYBALL_CHECK(options.scope.check(Target::arrivals));
  FLYBALL_ASSIGN(const auto arrivals,
                 read_arrivals(options.arrivals, options.request.rates_hz, options.infer.size()));
  options.request.rates_hz.clear();
  for (const ArrivalSpec& spec : arrivals) {
    if (spec.kind == ArrivalKind::http)
      return Error{Code::invalid_argument, "nobody knows when requests over http will come",
                   "write poisson:60 or trace:FILE"};
    options.request.rates_hz.push_back(spec.rate_hz);
  }
  FLYBALL_CHECK(check_margin(options.request.margin, options.request.latencies_ms));
  FLYBALL_CHECK(begin_report(options));
  FLYBALL_ASSIGN(const SharedBoard shared, open_shared_board(options));
  FLYBALL_CHECK(read_plan_request(options, shared));
  options.request.strategy = "exact";
  Progress progress(options.quiet);
  const auto tell = [&progress](size_t done, size_t of, const char* what) {
    progress.show_share(done, of, what);
  };
  const ArrivalQuestion question{
      shared, options.request, arrivals, options.percentile, options.queue, tell};
  FLYBALL_ASSIGN(ArrivalAnswer answer, plan_arrivals(question));
  if (answer.simulated) {
    FLYBALL_ASSIGN(const auto note, margin_note(question));
    if (note) answer.notes.push_back(*note);
  }
  progress.finish();
  const Json document = to_json(answer);
  if (options.json)
    print_json(document);
  else
    fmt::print("{}", format_plan(answer, options.verbose));
  FLYBALL_CHECK(report_plan(options, document));
  if (answer.infeasible) context.exit_code = report_error(*answer.infeasible);
  return {};
}

}  // namespace flyball::cli
