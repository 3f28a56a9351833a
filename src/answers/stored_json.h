// Reads documents that the store has kept: what is missing there is empty, never an error.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "space/axis.h"
#include "store/run.h"

namespace flyball {

/// The document; an empty object where the text is none.
nlohmann::ordered_json stored_document(const std::string& text);
/// The answer of the run in the keys of the present version, each choice of a plan with its `text`;
/// an empty object where it has none.
nlohmann::ordered_json stored_answer(const StoredRun& run);
/// The text under a key; "" where there is none.
std::string text_of(const nlohmann::ordered_json& holder, const char* key);
/// The list under a key; empty where there is none.
nlohmann::ordered_json list_of(const nlohmann::ordered_json& holder, const char* key);
/// The value under a key; null where there is none.
nlohmann::ordered_json value_at(const nlohmann::ordered_json& holder, const char* key);
/// `config` of a document.
Settings settings_of(const nlohmann::ordered_json& config);
/// Goes through all that a plan speaks of setting: its choices, each with its `roles`, and the
/// windows of a dynamic one, whose roles stand in `choice`.
void each_choice(nlohmann::ordered_json& plan,
                 const std::function<void(nlohmann::ordered_json&)>& visit);
/// Those that belong to the board, or to the run.
Settings of_scope(const Settings& settings, Scope scope);

}  // namespace flyball
