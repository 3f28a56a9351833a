// Remarks about an answer, as lines for people.
#pragma once

#include <string>
#include <vector>

namespace flyball {

/// One line each, "note: …"; at most eight of them and how many more there are, unless `verbose`.
std::string notes_text(const std::vector<std::string>& notes, bool verbose);

}  // namespace flyball
