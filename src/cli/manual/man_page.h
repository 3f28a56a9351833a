// A command's help as a page for man(1).
#pragma once

#include <string>
#include <vector>

#include "cli/manual/command_list.h"

namespace flyball::cli {

/// What stands at the foot of each page.
struct ManualImprint {
  std::string date;     ///< 2026-11-27
  std::string version;  ///< flyball 0.1.0
};

/// "flyball-plan-training" of "flyball plan training": the page's name without its section.
std::string page_name(const std::string& path);

/// The page in roff's man macros, in ASCII, so that groff and mandoc read it alike. `all` holds the
/// command and those that it refers to.
std::string man_page(const ListedCommand& command, const std::vector<ListedCommand>& all,
                     const ManualImprint& imprint);

}  // namespace flyball::cli
