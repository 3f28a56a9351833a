#include <fmt/format.h>
#include <strings.h>

#include <algorithm>

#include "base/text.h"
#include "cli/action.h"
#include "cli/board.h"
#include "cli/commands/experiment/experiment.h"
#include "cli/output.h"
#include "cli/text/findings_text.h"
#include "findings/judged_findings.h"

namespace flyball::cli {
namespace {

struct FindingsArguments {
  std::vector<std::string> devices, only;
  bool all = false, json = false;
};

// Large and small letters are the same.
bool is_meant(const std::vector<std::string>& asked, const PublishedFinding& finding) {
  return std::ranges::any_of(asked, [&](const std::string& one) {
    return strcasecmp(one.c_str(), finding.id.c_str()) == 0 ||
           strcasecmp(one.c_str(), finding.name.c_str()) == 0;
  });
}

/// The studies with the findings that are asked for. Error: nothing is called so.
Result<std::vector<PublishedStudy>> studies_of(const std::vector<std::string>& only) {
  std::vector<PublishedStudy> studies;
  std::vector<std::string> ids, unknown = only;
  for (const auto& [file, text] : published_studies()) {
    FLYBALL_ASSIGN(PublishedStudy study, parse_study(text, file));
    for (const PublishedFinding& finding : study.findings) {
      ids.push_back(finding.id);
      std::erase_if(unknown, [&](const std::string& one) { return is_meant({one}, finding); });
    }
    if (!only.empty())
      std::erase_if(study.findings,
                    [&](const PublishedFinding& finding) { return !is_meant(only, finding); });
    if (!study.findings.empty()) studies.push_back(std::move(study));
  }
  if (unknown.empty()) return studies;
  return Error{Code::invalid_argument, fmt::format("no finding is called '{}'", unknown.front()),
               "one of: " + join(ids, ", ")};
}

Status run(const FindingsArguments& options) {
  FLYBALL_ASSIGN(const auto studies, studies_of(options.only));
  std::vector<std::unique_ptr<Board>> boards;
  for (const std::string& device : options.devices) {
    FLYBALL_ASSIGN(auto board, open_named_board(device, "/"));
    boards.push_back(std::move(board));
  }
  FindingsAnswer answer;
  for (const PublishedStudy& study : studies) {
    std::vector<std::unique_ptr<RunSource>> sources;
    std::vector<RunSource*> asked;
    for (const auto& board : boards) {
      sources.push_back(simulated_runs(study, *board));
      asked.push_back(sources.back().get());
    }
    FLYBALL_ASSIGN(FindingsAnswer one, judge_findings(study, asked));
    answer.add(std::move(one));
  }
  if (options.json)
    print_json(findings_json(answer));
  else
    fmt::print("{}", findings_text(answer, options.all || !options.only.empty()));
  return {};
}

}  // namespace

void add_experiment_findings(CLI::App& group, Context& context) {
  CLI::App* command = group.add_subcommand(
      "findings", "what studies found, asked again: published figures beside a board's own");
  auto options = std::make_shared<FindingsArguments>();
  command
      ->add_option("--device", options->devices,
                   "boards that are asked: twin:BOARD, several with commas between")
      ->delimiter(',');
  command->add_option("--only", options->only, "findings, by their ids")->delimiter(',');
  command->add_flag("--all", options->all, "figures that hold as well");
  add_json_flag(*command, options->json);
  command->footer(
      "Example:\n  flyball experiment findings --device twin:xavier_agx,twin:xavier_nx --all");
  set_action(*command, context, [options] { return run(*options); });
}

}  // namespace flyball::cli
