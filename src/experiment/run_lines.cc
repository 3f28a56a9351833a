#include "experiment/run_lines.h"

#include <fmt/format.h>

#include "base/json.h"
#include "base/json_line.h"

namespace flyball {
namespace {

Error broken(const std::string& name, size_t line, const std::string& why) {
  return {Code::corrupt, fmt::format("{}:{}: {}", name, line, why),
          "mend the line, or move the file away"};
}

}  // namespace

std::string run_line(const RunFigures& run) {
  return json_line(run_json(run)) + "\n";
}

Result<std::vector<RunFigures>> parse_run_lines(std::string_view text, const std::string& name,
                                                LastLine last) {
  std::vector<RunFigures> runs;
  for (size_t line = 1; !text.empty(); ++line) {
    const size_t end = text.find('\n');
    const bool whole = end != std::string_view::npos;
    const Json json = Json::parse(text.substr(0, end), nullptr, false);
    if (json.is_discarded() && !whole) {
      if (last == LastLine::may_be_cut) break;
      return Error{Code::corrupt, fmt::format("{}:{}: the last line is cut off", name, line),
                   "copy the file again, or take the line out"};
    }
    if (json.is_discarded()) return broken(name, line, "this is no JSON");
    auto run = parse_run(json);
    if (!run) return broken(name, line, run.error().message);
    runs.push_back(*std::move(run));
    text.remove_prefix(whole ? end + 1 : text.size());
  }
  return runs;
}

}  // namespace flyball
