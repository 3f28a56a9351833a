#include "cli/text/findings_text.h"

#include <fmt/format.h>

#include "base/text.h"
#include "cli/output.h"

namespace flyball::cli {
namespace {

const char* verdict_words(FindingVerdict verdict) {
  switch (verdict) {
    case FindingVerdict::holds:
      return "holds";
    case FindingVerdict::size:
      return "differs in size";
    case FindingVerdict::sign:
      return "differs";
  }
  return "";
}

std::string published_text(const JudgedFigure& figure) {
  const std::string value = value_text(figure, figure.published);
  return figure.spread_pct > 0 ? fmt::format("{} (± {:g})", value, figure.spread_pct) : value;
}

std::string finding_text(const JudgedFinding& finding, bool all) {
  std::string text = fmt::format("{} ({}; {}, {}): {}\n  {}\n", finding.name, finding.id,
                                 finding.section, finding.held ? "held" : "calibrated",
                                 verdict_words(*finding.verdict), finding.claim);
  TextTable table({"", "published", "here", ""});
  for (const JudgedFigure& figure : finding.figures) {
    const bool holds = figure.verdict == FindingVerdict::holds;
    if ((all && figure.verdict) || (figure.verdict && !holds))
      table.add({"  " + figure.name, published_text(figure), ours_text(figure),
                 holds ? "" : finding_verdict_name(*figure.verdict)});
  }
  if (!table.empty()) text += table.str();
  if (!finding.why.empty()) text += fmt::format("  {}\n", finding.why);
  return text + "\n";
}

/// One line each.
std::string unasked_text(const FindingsAnswer& answer) {
  TextTable table({"cannot be asked here", "", ""});
  for (const JudgedFinding& finding : answer.findings)
    if (!finding.verdict) table.add({"  " + finding.id, finding.section, finding.why});
  return table.empty() ? "" : table.str() + "\n";
}

}  // namespace

std::string findings_text(const FindingsAnswer& answer, bool all) {
  std::vector<std::string> boards;
  for (const AskedBoard& board : answer.boards)
    boards.push_back(fmt::format("{} ({})", board.board, provenance_name(board.provenance)));
  std::string text =
      fmt::format("{}\nasked of {}\n\n", join(answer.titles, "\n"), join(boards, ", "));
  for (const JudgedFinding& finding : answer.findings)
    if (finding.verdict) text += finding_text(finding, all);
  text += unasked_text(answer);
  for (const std::string& note : answer.notes) text += fmt::format("note: {}\n", note);
  text +=
      fmt::format("{} of {} findings hold, {} differ ({} of them in sign); {} cannot be asked here",
                  answer.count(FindingVerdict::holds), answer.findings.size() - answer.count({}),
                  answer.count(FindingVerdict::size) + answer.count(FindingVerdict::sign),
                  answer.count(FindingVerdict::sign), answer.count({}));
  if (answer.held() > 0)
    text += fmt::format("; of those whose figures never went into the simulation {} of {} hold",
                        answer.held_holds(), answer.held());
  return text + "\n";
}

}  // namespace flyball::cli
