#include "report/page.h"

#include <cassert>

#include "answers/answer.h"
#include "answers/json_version.h"
#include "base/clock.h"
#include "base/json.h"

namespace flyball {

Json page_document(const std::string& kind, const std::string& command, const Json& answer) {
  return {{"schema", "flyball-report/2"},
          {"kind", kind},
          {"command", command},
          {"version", FLYBALL_VERSION},
          {"written_utc", wall_clock_utc()},
          {"answer", in_version(answer, json_schema)}};
}

std::string fill_page(const Json& document) {
  constexpr std::string_view slot = "id=\"flyball-data\" type=\"application/json\">";
  const std::string_view page = page_template();
  const size_t at = page.find(slot);
  assert(at != std::string_view::npos);
  const size_t begin = at + slot.size();
  const size_t end = page.find("</script>", begin);
  // No text of the document may end the script element.
  std::string data;
  const auto replace = Json::error_handler_t::replace;
  for (char c : document.dump(-1, ' ', false, replace))
    if (c == '<')
      data += "\\u003c";
    else
      data += c;
  std::string filled(page.substr(0, begin));
  filled += data;
  filled += page.substr(end);
  return filled;
}

}  // namespace flyball
