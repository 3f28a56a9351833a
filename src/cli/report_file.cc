#include "cli/report_file.h"

#include <fmt/format.h>

#include "base/files.h"
#include "base/json.h"
#include "cli/checks.h"
#include "report/page.h"

namespace flyball::cli {

CLI::Option* add_report_option(CLI::App& command, std::string& file) {
  return writes(command.add_option("--report", file, "Write an HTML report here"));
}

Status write_report(const std::string& file, const Json& document, bool quiet) {
  if (file.empty()) return {};
  FLYBALL_CHECK(write_file(file, fill_page(document)));
  if (!quiet) fmt::print("report: {}\n", file);
  return {};
}

}  // namespace flyball::cli
