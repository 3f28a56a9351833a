#include "findings/judged_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/distinct.h"
#include "base/figure.h"
#include "base/os/told_errors.h"
#include "base/statistics.h"
#include "base/text.h"
#include "findings/asked_checks.h"
#include "findings/check_words.h"
#include "space/pareto.h"

namespace flyball {
namespace {

constexpr double factor = 1.5;
constexpr double least_change = 0.005;  ///< in logarithms; below it is about the same
constexpr double most_percent = 400;    ///< larger changes are told as factors

/// By the sign alone: of what is about the same there is none.
FindingVerdict judge_sign(double wanted, double found, double spread) {
  const bool told = std::abs(wanted) > spread, seen = std::abs(found) > spread;
  if (told == seen && (!told || found * wanted > 0)) return FindingVerdict::holds;
  return told && seen ? FindingVerdict::sign : FindingVerdict::size;
}

FindingVerdict judge_change(const FindingCheck& check, double from, double to, bool by_sign) {
  const double wanted = std::log(check.published_to / check.published_from);
  const double found = std::log(to / from);
  const double spread = std::max(least_change, std::log(1 + check.spread_pct / 100));
  if (by_sign) return judge_sign(wanted, found, spread);
  const bool same_sign = wanted == 0 || found * wanted > 0;
  if (check.sign_counts && !same_sign) return FindingVerdict::sign;
  if (std::abs(found - wanted) <= spread) return FindingVerdict::holds;
  if (wanted == 0) return FindingVerdict::size;
  const double ratio = found / wanted;
  if (ratio >= 1 / factor && ratio <= factor) return FindingVerdict::holds;
  const bool tiny = std::abs(wanted) <= spread || std::abs(found) <= spread;
  return same_sign || tiny ? FindingVerdict::size : FindingVerdict::sign;
}

FindingVerdict within_factor(double found, double wanted) {
  return found >= wanted / factor && found <= wanted * factor ? FindingVerdict::holds
                                                              : FindingVerdict::size;
}

double percent(double from, double to) {
  return 100 * (to / from - 1);
}

/// Without bounds where `from` may be nothing.
Estimate ratio(const Estimate& from, const Estimate& to) {
  const bool bounded = from.low > 0;
  return {.value = to.value / from.value,
          .low = bounded ? to.low / from.high : not_known,
          .high = bounded ? to.high / from.low : not_known,
          .provenance = to.provenance};
}

Estimate percent(const Estimate& from, const Estimate& to) {
  const Estimate times = ratio(from, to);
  return {.value = percent(from.value, to.value),
          .low = 100 * (times.low - 1),
          .high = 100 * (times.high - 1),
          .provenance = to.provenance};
}

/// Two figures that are compared.
struct FiguresCompared {
  Estimate from, to;
};

/// One epoch beside several: it differs where it lies outside of what the next of these would be
/// expected to be, t·s·√(1 + 1/n) around their mean.
void expect_next(const FigureOverEpochs& one, Estimate& alone, const FigureOverEpochs& several,
                 Estimate& next) {
  if (one.epochs != 1 || several.epochs < 2) return;
  const double wider = std::sqrt(static_cast<double>(several.epochs) + 1);
  alone.low = alone.high = alone.value;
  next.low = next.value - wider * (next.value - next.low);
  next.high = next.value + wider * (next.high - next.value);
}

FiguresCompared compared(const FigureOverEpochs& from, const FigureOverEpochs& to) {
  FiguresCompared both{from.mean, to.mean};
  expect_next(from, both.from, to, both.to);
  expect_next(to, both.to, from, both.from);
  return both;
}

/// What was measured without a spread might be chance. A simulation repeats itself.
Status check_spread(const FiguresCompared& both, const Estimate& ours, const std::string& detail) {
  if (ours.provenance != Provenance::measured ||
      (std::isfinite(ours.low) && std::isfinite(ours.high)))
    return {};
  const bool spread = std::isfinite(both.from.low) && std::isfinite(both.to.low);
  return Error{
      Code::unavailable,
      fmt::format("{} to tell ({})",
                  spread ? "epochs differ too much" : "one value of each is too little", detail),
      ""};
}

/// "2814 → 2250 mWh".
std::string from_to(double from, const char* word, double to, const FindingCheck& check) {
  const std::string unit = figure_unit(check.figure);
  return fmt::format("{} {} {}{}", number(from), word, number(to), unit.empty() ? "" : " " + unit);
}

class Judge {
 public:
  Judge(const FindingRuns& runs, bool transferred) : runs_(runs), transferred_(transferred) {}

  JudgedFigure judge(const FindingCheck& check) {
    JudgedFigure figure;
    figure.name = check_name(check);
    figure.unit = check_unit(check);
    figure.signed_value = check.kind == FindingCheckKind::change;
    const Status judged = judge(check, figure);
    if (!judged.ok()) {
      // Why nothing was run for it says more than that nothing was.
      const Status askable = check_askable(check, runs_.sources());
      const Error& why = askable.ok() ? judged.error() : askable.error();
      // What a board has no room for is no matter of settings: the study's are asked.
      figure.why = why.code == Code::infeasible ? why.message : in_one_line(why);
    }
    return figure;
  }

 private:
  Status judge(const FindingCheck& check, JudgedFigure& figure) {
    switch (check.kind) {
      case FindingCheckKind::change:
        return change(check, figure);
      case FindingCheckKind::level:
        return level(check, figure);
      case FindingCheckKind::between:
        return between(check, figure);
      case FindingCheckKind::front:
        return front(check, figure);
      case FindingCheckKind::range:
        return range(check, figure);
      case FindingCheckKind::fits:
        return fits(check, figure);
      case FindingCheckKind::table:
        return of_table(check, figure);
    }
    return Error{Code::internal, "a check of no kind", ""};
  }

  Result<FiguresCompared> of_both(const FindingCheck& check) {
    FLYBALL_ASSIGN(const FigureOverEpochs from, runs_.figure(check.from, check.figure));
    FLYBALL_ASSIGN(const FigureOverEpochs to, runs_.figure(check.to, check.figure));
    return compared(from, to);
  }

  Status change(const FindingCheck& check, JudgedFigure& figure) {
    figure.published.value.value = percent(check.published_from, check.published_to);
    figure.spread_pct = check.spread_pct;
    FLYBALL_ASSIGN(const FiguresCompared both, of_both(check));
    const auto& [from, to] = both;
    if (!(from.value > 0) || !(to.value > 0))
      return Error{Code::unavailable,
                   fmt::format("{} is {} and {} there: no change in percent",
                               figure_words(check.figure), number(from.value), number(to.value)),
                   ""};
    figure.ours = FindingValue{.value = percent(from, to)};
    figure.detail = from_to(from.value, "→", to.value, check);
    const Estimate& ours = figure.ours->value;
    FLYBALL_CHECK(check_spread(both, ours, figure.detail));
    if (to.provenance == Provenance::measured) {
      figure.detail += fmt::format("; 90 %: {:+.1f} to {:+.1f} %", ours.low, ours.high);
      if (ours.low < 0 && ours.high > 0 && std::abs(ours.value) > check.spread_pct)
        return Error{Code::unavailable,
                     fmt::format("epochs differ too much to tell ({})", figure.detail), ""};
    }
    figure.verdict = judge_change(check, from.value, to.value, transferred_);
    return {};
  }

  Status level(const FindingCheck& check, JudgedFigure& figure) {
    publish_level(check, figure);
    FLYBALL_ASSIGN(const FigureOverEpochs found, runs_.figure(check.from, check.figure));
    judge_level(check, found.mean, figure);
    return {};
  }

  Status of_table(const FindingCheck& check, JudgedFigure& figure) {
    publish_level(check, figure);
    RunSource* source = runs_.find(check.from.board);
    if (!source) return Error{Code::unavailable, check.from.board + " is not asked", ""};
    FLYBALL_ASSIGN(const double found, source->table_figure(check.table));
    judge_level(check, {.value = found, .provenance = source->provenance()}, figure);
    return {};
  }

  static void publish_level(const FindingCheck& check, JudgedFigure& figure) {
    const double wanted = check.published_from;
    figure.published.value.value = wanted;
    if (check.at_most || check.at_least)
      figure.published.text = fmt::format("{} {} {}", check.at_most ? "at most" : "at least",
                                          number(wanted), figure.unit);
  }

  static void judge_level(const FindingCheck& check, const Estimate& found, JudgedFigure& figure) {
    const double wanted = check.published_from;
    figure.ours = FindingValue{.value = found};
    const bool holds = check.at_most ? found.value <= wanted : found.value >= wanted;
    figure.verdict = !check.at_most && !check.at_least ? within_factor(found.value, wanted)
                     : holds                           ? FindingVerdict::holds
                                                       : FindingVerdict::size;
  }

  Status between(const FindingCheck& check, JudgedFigure& figure) {
    figure.published.value.low = check.published_from;
    figure.published.value.high = check.published_to;
    FLYBALL_ASSIGN(const FiguresCompared both, of_both(check));
    const Estimate times = ratio(both.from, both.to);
    figure.ours = FindingValue{.value = times};
    figure.detail = from_to(both.from.value, "and", both.to.value, check);
    FLYBALL_CHECK(check_spread(both, times, figure.detail));
    const bool holds = times.value >= check.published_from && times.value <= check.published_to;
    figure.verdict = holds             ? FindingVerdict::holds
                     : times.value > 1 ? FindingVerdict::size
                                       : FindingVerdict::sign;
    return {};
  }

  /// The figure in each of the check's modes, in their order.
  Result<std::vector<double>> in_modes(const FindingCheck& check, const std::string& name) {
    std::vector<double> found;
    for (const char letter : check.modes) {
      FindingSetting setting = check.from;
      setting.mode = std::string(1, letter);
      FLYBALL_ASSIGN(const FigureOverEpochs value, runs_.figure(setting, name));
      found.push_back(value.mean.value);
    }
    return found;
  }

  Status front(const FindingCheck& check, JudgedFigure& figure) {
    figure.published.text = check.front;
    FLYBALL_ASSIGN(const auto times, in_modes(check, "e2e_s"));
    FLYBALL_ASSIGN(const auto energies, in_modes(check, "energy_mwh"));
    std::string found;
    for (const size_t mode : pareto_front(energies, times)) found += check.modes[mode];
    const auto has = [&](char letter) { return found.find(letter) != std::string::npos; };
    const bool right = std::ranges::all_of(check.on, has) && std::ranges::none_of(check.off, has);
    figure.ours = FindingValue{.text = found};
    figure.verdict = right ? FindingVerdict::holds : FindingVerdict::sign;
    return {};
  }

  Status range(const FindingCheck& check, JudgedFigure& figure) {
    figure.published.value.value = check.published_from;
    FLYBALL_ASSIGN(const auto values, in_modes(check, check.figure));
    const auto [low, high] = std::ranges::minmax(values);
    figure.ours = FindingValue{.value = {.value = 100 * (1 - low / high)}};
    figure.detail = from_to(low, "to", high, check);
    figure.verdict = within_factor(figure.ours->value.value, check.published_from);
    return {};
  }

  Status fits(const FindingCheck& check, JudgedFigure& figure) {
    std::vector<std::string> wanted, found;
    for (const std::string& board : check.among) {
      RunSource* source = runs_.find(board);
      if (!source) continue;
      if (std::ranges::find(check.boards, board) != check.boards.end()) wanted.push_back(board);
      FLYBALL_ASSIGN(const bool fits, source->fits(check.from.workload));
      if (fits) found.push_back(board);
    }
    figure.published.text = wanted.empty() ? "none" : join(wanted, ", ");
    figure.ours = FindingValue{.text = found.empty() ? "none" : join(found, ", ")};
    figure.verdict = found == wanted ? FindingVerdict::holds : FindingVerdict::size;
    return {};
  }

  const FindingRuns& runs_;
  bool transferred_;
};

std::string counted(size_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

/// In words what a verdict alone does not say.
std::string why_of(const JudgedFinding& finding, const AskedChecks& asked) {
  std::vector<std::string> parts, reasons;
  size_t differ = 0, unasked = 0;
  bool by_sign = false;
  for (const JudgedFigure& figure : finding.figures) {
    if (figure.verdict && *figure.verdict != FindingVerdict::holds) ++differ;
    by_sign |= finding.transferred && figure.verdict && figure.signed_value;
    if (figure.verdict) continue;
    ++unasked;
    add_distinct(reasons, figure.why);
  }
  const size_t all = finding.figures.size();
  if (differ > 0)
    parts.push_back(fmt::format("{} of {} differ{}", differ, counted(all - unasked, "figure"),
                                differ == 1 ? "s" : ""));
  if (unasked > 0)
    parts.push_back((unasked == all ? "" : counted(unasked, "figure") + " cannot be asked here: ") +
                    join(reasons, "; "));
  if (by_sign) parts.emplace_back("by its sign: the study asked another board");
  if (all == 0 && asked.others.empty())
    parts.emplace_back("what it asks is of boards of the study alone");
  if (asked.elsewhere > 0 && !finding.transferred)
    parts.push_back(fmt::format("{} of {}",
                                all == 0 ? "it is asked" : counted(asked.elsewhere, "more figure"),
                                join(asked.others, ", ")));
  return join(parts, "; ");
}

JudgedFinding judge_finding(const PublishedStudy& study, const PublishedFinding& finding,
                            const AskedChecks& asked, const FindingRuns& runs) {
  JudgedFinding judged{.study = study.id,
                       .id = finding.id,
                       .name = finding.name,
                       .section = finding.section,
                       .claim = finding.says,
                       .held = finding.held,
                       .transferred = asked.transferred,
                       .figures = {},
                       .elsewhere = asked.elsewhere};
  Judge judge(runs, asked.transferred);
  for (const FindingCheck& check : asked.checks) {
    judged.figures.push_back(judge.judge(check));
    if (const auto& verdict = judged.figures.back().verdict)
      judged.verdict = std::max(judged.verdict.value_or(FindingVerdict::holds), *verdict);
  }
  judged.why = why_of(judged, asked);
  return judged;
}

Json value_json(const JudgedFigure& figure, const FindingValue& value) {
  return {{"name", figure.name},
          {"value", or_null(value.value.value)},
          {"unit", figure.unit},
          {"low", or_null(value.value.low)},
          {"high", or_null(value.value.high)},
          {"text", text_or_null(value.text)},
          {"words", value_text(figure, value)}};
}

/// The means over the epochs that a long training goes on like.
AskedRun asked_run(const FindingSetting& setting, const RunFigures& run, bool usual) {
  std::vector<const EpochFigures*> epochs;
  for (const EpochFigures& epoch : run.epochs)
    if (epoch.epoch > 0 || run.epochs.size() == 1) epochs.push_back(&epoch);
  return {.setting = setting, .means = average_of(epochs), .usual = usual};
}

Json run_json(const AskedRun& run) {
  const auto& [at, means, usual] = run;
  return {{"board", at.board},
          {"workload", at.workload},
          {"mode", text_or_null(at.mode)},
          {"usual_mode", usual},
          {"storage", text_or_null(at.storage)},
          {"workers", at.workers},
          {"batch_size", at.batch},
          {"dropped", at.dropped},
          {"governors", at.governors},
          {"e2e_s", or_null(means.e2e_s)},
          {"stall_s", or_null(means.stall_s)},
          {"compute_s", or_null(means.compute_s)},
          {"overhead_s", or_null(means.overhead_s)},
          {"energy_j", or_null(means.energy_j)},
          {"gpu_pct", or_null(means.gpu_load_pct)}};
}

Json verdict_json(const std::optional<FindingVerdict>& verdict) {
  return verdict ? Json(finding_verdict_name(*verdict)) : Json();
}

Json finding_json(const JudgedFinding& finding) {
  Json ours = Json::array(), published = Json::array();
  for (const JudgedFigure& figure : finding.figures) {
    published.push_back(value_json(figure, figure.published));
    published.back()["spread"] = figure.spread_pct > 0 ? Json(figure.spread_pct) : Json();
    if (!figure.ours) continue;
    Json own = value_json(figure, *figure.ours);
    own["words"] = ours_text(figure);
    own["verdict"] = verdict_json(figure.verdict);
    ours.push_back(std::move(own));
  }
  const auto& verdict = finding.verdict;
  return {{"id", finding.id},
          {"name", finding.name},
          {"study", finding.study},
          {"section", finding.section},
          {"claim", finding.claim},
          {"use", finding.held ? "held" : "calibrated"},
          {"holds", verdict ? Json(*verdict == FindingVerdict::holds) : Json()},
          {"verdict", verdict_json(verdict)},
          {"transferred", finding.transferred},
          {"ours", std::move(ours)},
          {"published", std::move(published)},
          {"why", finding.why}};
}

}  // namespace

const char* finding_verdict_name(FindingVerdict verdict) {
  switch (verdict) {
    case FindingVerdict::holds:
      return "holds";
    case FindingVerdict::size:
      return "size";
    case FindingVerdict::sign:
      return "sign";
  }
  return "";
}

std::string value_text(const JudgedFigure& figure, const FindingValue& value) {
  if (!value.text.empty()) return value.text;
  const Estimate& estimate = value.value;
  if (std::isnan(estimate.value))
    return fmt::format("{} to {} {}", number(estimate.low), number(estimate.high), figure.unit);
  if (!figure.signed_value) return fmt::format("{} {}", number(estimate.value), figure.unit);
  if (estimate.value > most_percent) return "× " + number(1 + estimate.value / 100);
  return std::abs(estimate.value) < 0.05 ? "the same"
                                         : fmt::format("{:+.1f} {}", estimate.value, figure.unit);
}

std::string ours_text(const JudgedFigure& figure) {
  if (!figure.ours) return "-";
  const std::string value = value_text(figure, *figure.ours);
  return figure.detail.empty() ? value : fmt::format("{} ({})", value, figure.detail);
}

void FindingsAnswer::add(FindingsAnswer other) {
  boards = std::move(other.boards);
  std::ranges::move(other.titles, std::back_inserter(titles));
  std::ranges::move(other.findings, std::back_inserter(findings));
  const auto at = [](const AskedRun& run) -> const FindingSetting& { return run.setting; };
  for (AskedRun& run : other.runs)
    if (std::ranges::find(runs, run.setting, at) == runs.end()) runs.push_back(std::move(run));
  for (const std::string& note : other.notes) add_distinct(notes, note);
}

size_t FindingsAnswer::count(std::optional<FindingVerdict> verdict) const {
  return static_cast<size_t>(std::ranges::count(findings, verdict, &JudgedFinding::verdict));
}
size_t FindingsAnswer::held() const {
  return static_cast<size_t>(std::ranges::count_if(
      findings, [&](const JudgedFinding& one) { return is_held(one) && one.verdict; }));
}
size_t FindingsAnswer::held_holds() const {
  return static_cast<size_t>(std::ranges::count_if(findings, [&](const JudgedFinding& one) {
    return is_held(one) && one.verdict == FindingVerdict::holds;
  }));
}
bool FindingsAnswer::is_held(const JudgedFinding& finding) const {
  return finding.held && std::ranges::all_of(boards, [](const AskedBoard& board) {
           return board.provenance == Provenance::simulated;
         });
}

std::vector<FindingSetting> settings_asked(const PublishedStudy& study,
                                           const std::vector<RunSource*>& boards,
                                           const RunSource& board) {
  std::vector<FindingSetting> settings;
  for (const PublishedFinding& finding : study.findings)
    for (const FindingCheck& check : asked_checks(study, finding, boards).checks) {
      if (!check_askable(check, boards).ok()) continue;
      for (const FindingSetting& setting : settings_of(check))
        if (setting.board == board.board()) add_distinct(settings, setting);
    }
  return settings;
}

Result<FindingsAnswer> judge_findings(const PublishedStudy& study,
                                      const std::vector<RunSource*>& boards) {
  FindingsAnswer answer;
  answer.titles = {study.title};
  for (RunSource* board : boards) {
    const std::vector<FindingSetting> settings = settings_asked(study, boards, *board);
    FLYBALL_CHECK(board->make(settings));
    const auto known = study.boards.find(board->board());
    for (const FindingSetting& setting : settings)
      if (const auto run = board->run(setting); run.ok() && setting.state.empty())
        answer.runs.push_back(
            asked_run(setting, *run,
                      setting.mode == board->usual_mode() ||
                          (known != study.boards.end() && setting.mode == known->second.mode)));
    for (const std::string& note : board->notes()) add_distinct(answer.notes, note);
    answer.boards.push_back({board->board(), board->provenance()});
  }
  const FindingRuns runs(boards);
  for (const PublishedFinding& finding : study.findings)
    answer.findings.push_back(
        judge_finding(study, finding, asked_checks(study, finding, boards), runs));
  return answer;
}

Json findings_json(const FindingsAnswer& answer) {
  Json boards = Json::array(), findings = Json::array();
  for (const AskedBoard& board : answer.boards)
    boards.push_back({{"board", board.board}, {"provenance", provenance_name(board.provenance)}});
  for (const JudgedFinding& finding : answer.findings) findings.push_back(finding_json(finding));
  Json runs = Json::array();
  for (const AskedRun& run : answer.runs) runs.push_back(run_json(run));
  return {{"studies", answer.titles},
          {"boards", std::move(boards)},
          {"holds", answer.count(FindingVerdict::holds)},
          {"differ", answer.count(FindingVerdict::size) + answer.count(FindingVerdict::sign)},
          {"wrong_sign", answer.count(FindingVerdict::sign)},
          {"unanswered", answer.count({})},
          {"held", answer.held()},
          {"held_holds", answer.held_holds()},
          {"findings", std::move(findings)},
          {"runs", std::move(runs)},
          {"notes", answer.notes}};
}

}  // namespace flyball
