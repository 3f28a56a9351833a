#include <fmt/format.h>
#include <strings.h>

#include <algorithm>

#include "base/text.h"
#include "cli/action.h"
#include "cli/commands/evaluate/evaluate.h"
#include "cli/output.h"
#include "evaluate/findings/findings_eval.h"

namespace flyball::cli {
namespace {

struct EvaluateFindingsArguments {
  std::string only;
  bool all = false, json = false;
};

void print_finding(const FindingResult& finding, bool all) {
  fmt::print("{} ({}; {}, {}): {}\n  {}\n", finding.name, finding.id, finding.section,
             finding.held ? "held" : "calibrated",
             finding.verdict == FindingVerdict::holds  ? "holds"
             : finding.verdict == FindingVerdict::size ? "its size does not"
                                                       : "its sign does not",
             finding.says);
  TextTable table({"", "published", "simulated", ""});
  for (const CheckResult& check : finding.checks)
    if (all || check.verdict != FindingVerdict::holds)
      table.add(
          {"  " + check.what, check.published, check.found,
           check.verdict == FindingVerdict::holds ? "" : finding_verdict_name(check.verdict)});
  if (!table.empty()) fmt::print("{}", table.str());
  fmt::print("\n");
}

void print_text(const FindingsReport& report, bool all) {
  fmt::print(
      "{}\nsimulated with 4 workers and batch size 16, in later epochs, where nothing else is "
      "said; {}\n\n",
      report.study, report.usual);
  for (const FindingResult& finding : report.findings) print_finding(finding, all);
  fmt::print(
      "{} of {} findings hold, {} of {} held ones; {} in size only, {} have the wrong sign\n",
      report.count(FindingVerdict::holds, false), report.findings.size(),
      report.count(FindingVerdict::holds, true), report.held(),
      report.count(FindingVerdict::size, false), report.count(FindingVerdict::sign, false));
}

// Large and small letters are the same.
bool is_meant(const std::string& asked, std::initializer_list<std::string> names) {
  return std::ranges::any_of(
      names, [&](const std::string& name) { return strcasecmp(name.c_str(), asked.c_str()) == 0; });
}

Status run(const EvaluateFindingsArguments& options) {
  const auto& [file, text] = published_studies().front();
  FLYBALL_ASSIGN(PublishedStudy study, parse_study(text, file));
  if (!options.only.empty()) {
    std::vector<std::string> ids;
    for (const PublishedFinding& finding : study.findings) ids.push_back(finding.id);
    std::erase_if(study.findings, [&](const PublishedFinding& finding) {
      return !is_meant(options.only, {finding.id, finding.name, finding.says});
    });
    if (study.findings.empty())
      return Error{Code::invalid_argument, fmt::format("no finding is called '{}'", options.only),
                   "one of: " + join(ids, ", ")};
  }
  FLYBALL_ASSIGN(const FindingsReport report, evaluate_findings(study));
  if (options.json)
    print_json(to_json(report));
  else
    print_text(report, options.all || !options.only.empty());
  return {};
}

}  // namespace

void add_evaluate_findings(CLI::App& group, Context& context) {
  CLI::App* command = group.add_subcommand(
      "findings", "which findings of the published study a simulated board shows");
  auto options = std::make_shared<EvaluateFindingsArguments>();
  command->add_option("--finding", options->only,
                      "this one only, by its id, name or sentence, with all its figures");
  command->add_flag("--all", options->all, "figures that hold as well");
  add_json_flag(*command, options->json);
  command->footer("Example:\n  flyball evaluate findings --all");
  set_action(*command, context, [options] { return run(*options); });
}

}  // namespace flyball::cli
