#include "evaluate/findings/findings_eval.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "evaluate/findings/finding_runs.h"
#include "space/pareto.h"
#include "twin/board.h"

namespace flyball {
namespace {

constexpr double factor = 1.5;

std::string percent(double from, double to) {
  return fmt::format("{:+.1f} %", 100 * (to / from - 1));
}
std::string figure(double value) {
  return std::abs(value) < 1000 ? fmt::format("{:.3g}", value) : fmt::format("{:.0f}", value);
}

std::string mode_words(const PowerMode& mode) {
  std::vector<std::string> words;
  for (const auto& [name, value] : mode.values)
    words.push_back(fmt::format("{} {:g}", name, value));
  return join(words, " ");
}

/// What differs between the two settings of a check: "workers 0 → 1".
std::string difference(const FindingSetting& from, const FindingSetting& to) {
  std::vector<std::string> parts;
  const auto add = [&](const char* name, const auto& a, const auto& b) {
    if (a != b) parts.push_back(fmt::format("{} {} → {}", name, a, b));
  };
  add("board", from.board, to.board);
  add("mode", from.mode == "MAXN" || to.mode == "MAXN" ? "" : from.mode,
      from.mode == "MAXN" || to.mode == "MAXN" ? "" : to.mode);
  add("storage", from.board == to.board ? from.storage : "",
      from.board == to.board ? to.storage : "");
  add("workers", from.workers, to.workers);
  add("batch", from.batch, to.batch);
  if (from.first != to.first) parts.emplace_back("first epoch → later");
  if (to.dropped) parts.emplace_back("cache kept → dropped");
  if (to.governors) parts.emplace_back("clocks pinned → free");
  return join(parts, ", ");
}

std::string place(const FindingCheck& check) {
  std::string text = check.from.workload;
  if (!check.from.board.empty() && check.from.board == check.to.board)
    text += (text.empty() ? "" : " on ") + check.from.board;
  return text;
}

std::string details(const FindingSetting& at) {
  if (!at.state.empty()) return at.state;
  std::vector<std::string> parts;
  if (at.mode.size() == 1) parts.push_back("mode " + at.mode);
  if (at.workers != 4) parts.push_back(fmt::format("workers {:g}", at.workers));
  if (at.batch != 16) parts.push_back(fmt::format("batch {:g}", at.batch));
  if (at.first) parts.emplace_back("first epoch");
  if (at.governors) parts.emplace_back("clocks free");
  return join(parts, ", ");
}

FindingVerdict judge_change(const FindingCheck& check, double from, double to) {
  const double wanted = std::log(check.published_to / check.published_from);
  const double found = std::log(to / from);
  const bool same_sign = wanted == 0 || found * wanted > 0;
  if (check.sign_counts && !same_sign) return FindingVerdict::sign;
  const double spread = std::log(1 + check.spread_pct / 100);
  if (std::abs(found - wanted) <= spread) return FindingVerdict::holds;
  if (wanted == 0) return FindingVerdict::size;
  const double ratio = found / wanted;
  if (ratio >= 1 / factor && ratio <= factor) return FindingVerdict::holds;
  const bool tiny = std::abs(wanted) <= spread || std::abs(found) <= spread;
  return same_sign || tiny ? FindingVerdict::size : FindingVerdict::sign;
}

class Judge {
 public:
  explicit Judge(const PublishedStudy& study) : study_(study), runs_(study) {}

  Result<CheckResult> judge(const FindingCheck& check) {
    switch (check.kind) {
      case FindingCheckKind::change:
        return change(check);
      case FindingCheckKind::level:
        return level(check);
      case FindingCheckKind::between:
        return between(check);
      case FindingCheckKind::front:
        return front(check);
      case FindingCheckKind::range:
        return range(check);
      case FindingCheckKind::fits:
        return fits(check);
    }
    return Error{Code::internal, "a check of no kind", ""};
  }

 private:
  Result<CheckResult> change(const FindingCheck& check) {
    FLYBALL_ASSIGN(const double from, runs_.figure(check.from, check.figure));
    FLYBALL_ASSIGN(const double to, runs_.figure(check.to, check.figure));
    const bool same = check.published_from == check.published_to;
    return CheckResult{
        fmt::format("{}: {}, {}", place(check), check.figure, difference(check.from, check.to)),
        same ? "the same" : percent(check.published_from, check.published_to),
        fmt::format("{} ({} → {})", percent(from, to), figure(from), figure(to)),
        judge_change(check, from, to)};
  }

  Result<CheckResult> level(const FindingCheck& check) {
    FLYBALL_ASSIGN(const double found, runs_.figure(check.from, check.figure));
    const double wanted = check.published_from;
    const bool holds =
        check.at_most ? found <= wanted : found >= wanted / factor && found <= wanted * factor;
    const std::string where = details(check.from);
    return CheckResult{
        fmt::format("{}: {}{}{}", place(check), check.figure, where.empty() ? "" : ", ", where),
        (check.at_most ? "at most " : "") + figure(wanted), figure(found),
        holds ? FindingVerdict::holds : FindingVerdict::size};
  }

  Result<CheckResult> between(const FindingCheck& check) {
    FLYBALL_ASSIGN(const double from, runs_.figure(check.from, check.figure));
    FLYBALL_ASSIGN(const double to, runs_.figure(check.to, check.figure));
    const double ratio = to / from;
    const bool holds = ratio >= check.published_from && ratio <= check.published_to;
    return CheckResult{
        fmt::format("{}: {}, {}", place(check), check.figure, difference(check.from, check.to)),
        fmt::format("× {:g} to {:g}", check.published_from, check.published_to),
        fmt::format("× {:.2f}", ratio),
        holds       ? FindingVerdict::holds
        : ratio > 1 ? FindingVerdict::size
                    : FindingVerdict::sign};
  }

  /// The figure in each of the check's modes, in their order.
  Result<std::vector<double>> in_modes(const FindingCheck& check, const std::string& name) {
    std::vector<double> found;
    for (const char letter : check.modes) {
      FindingSetting setting = check.from;
      setting.mode = std::string(1, letter);
      if (!study_.modes.contains(setting.mode))
        return Error{Code::corrupt, "there is no mode " + setting.mode, ""};
      FLYBALL_ASSIGN(const double value, runs_.figure(setting, name));
      found.push_back(value);
    }
    return found;
  }

  Result<CheckResult> front(const FindingCheck& check) {
    FLYBALL_ASSIGN(const auto times, in_modes(check, "e2e_s"));
    FLYBALL_ASSIGN(const auto energies, in_modes(check, "energy_mwh"));
    std::string found;
    for (const size_t mode : pareto_front(energies, times)) found += check.modes[mode];
    const auto has = [&](char letter) { return found.find(letter) != std::string::npos; };
    const bool right = std::ranges::all_of(check.on, has) && std::ranges::none_of(check.off, has);
    return CheckResult{place(check) + ": front by energy", check.front, found,
                       right ? FindingVerdict::holds : FindingVerdict::sign};
  }

  Result<CheckResult> range(const FindingCheck& check) {
    FLYBALL_ASSIGN(const auto values, in_modes(check, check.figure));
    const auto [low, high] = std::ranges::minmax(values);
    const double found = 100 * (1 - low / high), wanted = check.published_from;
    const bool holds = found >= wanted / factor && found <= wanted * factor;
    return CheckResult{fmt::format("{}: {} over modes {}", place(check), check.figure, check.modes),
                       fmt::format("{:g} %", wanted), fmt::format("{:.1f} %", found),
                       holds ? FindingVerdict::holds : FindingVerdict::size};
  }

  Result<CheckResult> fits(const FindingCheck& check) {
    std::vector<std::string> found;
    for (const char* board : {"nano", "xavier_agx", "xavier_nx"}) {
      FLYBALL_ASSIGN(const bool fits, runs_.fits(board, check.from.workload));
      if (fits) found.emplace_back(board);
    }
    return CheckResult{place(check) + ": trains on", join(check.boards, ", "), join(found, ", "),
                       found == check.boards ? FindingVerdict::holds : FindingVerdict::size};
  }

  const PublishedStudy& study_;
  FindingRuns runs_;
};

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

size_t FindingsReport::count(FindingVerdict verdict, bool held_only) const {
  return static_cast<size_t>(std::ranges::count_if(findings, [&](const FindingResult& one) {
    return one.verdict == verdict && (one.held || !held_only);
  }));
}

size_t FindingsReport::held() const {
  return static_cast<size_t>(std::ranges::count(findings, true, &FindingResult::held));
}

Result<FindingsReport> evaluate_findings(const PublishedStudy& study) {
  FindingsReport report;
  report.study = study.title;
  std::vector<std::string> usual;
  for (const auto& [board, mode] : study.boards) {
    const auto found = study.modes.find(mode.first);
    const bool highest = found == study.modes.end() || found->second.values.empty();
    usual.push_back(fmt::format(
        "{}: {}, {}", board, highest ? "highest clocks" : mode_words(found->second), mode.second));
  }
  report.usual = join(usual, "; ");
  Judge judge(study);
  for (const PublishedFinding& finding : study.findings) {
    FindingResult result{finding.id, finding.name, finding.section, finding.says, finding.held, {},
                         {}};
    for (const FindingCheck& check : finding.checks) {
      auto judged = judge.judge(check);
      if (!judged) return judged.error().within(finding.id);
      result.verdict = std::max(result.verdict, judged->verdict);
      result.checks.push_back(*std::move(judged));
    }
    report.findings.push_back(std::move(result));
  }
  return report;
}

Json to_json(const FindingsReport& report) {
  Json findings = Json::array();
  for (const FindingResult& finding : report.findings) {
    Json checks = Json::array();
    for (const CheckResult& check : finding.checks)
      checks.push_back({{"what", check.what},
                        {"published", check.published},
                        {"found", check.found},
                        {"verdict", finding_verdict_name(check.verdict)}});
    findings.push_back({{"id", finding.id},
                        {"name", finding.name},
                        {"section", finding.section},
                        {"says", finding.says},
                        {"use", finding.held ? "held" : "calibrated"},
                        {"verdict", finding_verdict_name(finding.verdict)},
                        {"checks", checks}});
  }
  return {{"study", report.study},
          {"provenance", provenance_name(Provenance::simulated)},
          {"holds", report.count(FindingVerdict::holds, false)},
          {"held", report.held()},
          {"held_holds", report.count(FindingVerdict::holds, true)},
          {"wrong_sign", report.count(FindingVerdict::sign, false)},
          {"findings", findings}};
}

}  // namespace flyball
