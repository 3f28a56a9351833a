// The report page: one HTML file that opens from disk, offline.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"

namespace flyball {

/// The built page of web/, with an empty slot for its data.
std::string_view page_template();

/// The document of a page that shows an answer: what `--json` prints of it in the current version,
/// and the command as it was typed.
Json page_document(const std::string& kind, const std::string& command, const Json& answer);

/// The page with its document (docs/report-data.md) in the slot. Numbers must be finite.
std::string fill_page(const Json& document);

}  // namespace flyball
