// Reads documents that the store has kept: what is missing there is empty, never an error.
#pragma once

#include <functional>
#include <string>

#include "base/json.h"
#include "space/axis.h"
#include "store/run.h"

namespace flyball {

/// The document; an empty object where the text is none.
Json stored_document(const std::string& text);
/// The answer of the run in the keys of the present version, each choice of a plan with its `text`;
/// an empty object where it has none.
Json stored_answer(const StoredRun& run);
/// `config` of a document.
Settings settings_of(const Json& config);
/// Goes through all that a plan speaks of setting: its choices, each with its `roles`, and the
/// windows of a dynamic one, whose roles stand in `choice`.
void each_choice(Json& plan, const std::function<void(Json&)>& visit);
/// Those that belong to the board, or to the run.
Settings of_scope(const Settings& settings, Scope scope);

}  // namespace flyball
