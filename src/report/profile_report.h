// The report of a profile as the document that the page shows (docs/report-data.md).
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace flyball {

/// Of what `flyball profile --json` prints of a network. `command` as it was typed.
nlohmann::ordered_json epochs_report(const nlohmann::ordered_json& profile,
                                     const std::string& command);
/// Of what `flyball profile --json -- PROGRAM` prints.
nlohmann::ordered_json program_report(const nlohmann::ordered_json& profile,
                                      const std::string& command);

}  // namespace flyball
