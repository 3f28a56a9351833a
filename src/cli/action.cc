#include "cli/action.h"

#include <fmt/format.h>

#include "answers/answer.h"
#include "answers/json_version.h"
#include "cli/output.h"

namespace flyball::cli {

void add_json_flag(CLI::App& command, bool& json, const std::string& more) {
  command.add_flag_function(
      "--json{2}",
      [&json](int64_t version) {
        if (version != 1 && version != json_schema)
          throw CLI::ValidationError(
              "--json",
              fmt::format("there is no version {} (there are 1 and {})", version, json_schema));
        json = true;
        ask_json_version(static_cast<int>(version));
      },
      "one JSON document on stdout" + more);
}

void set_action(CLI::App& command, Context& context, std::function<Status()> action) {
  command.callback([action = std::move(action), &context] {
    const Status status = action();
    if (!status.ok()) context.exit_code = report_error(status.error());
  });
}

}  // namespace flyball::cli
