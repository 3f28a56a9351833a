#include <fmt/format.h>

#include "base/json.h"
#include "store/rows.h"

namespace flyball {
Result<std::string> conditions_text(const Conditions& conditions) {
  try {
    return SortedJson(conditions).dump();
  } catch (const SortedJson::exception&) {
    return Error{Code::invalid_argument, "a condition of the measurement is not UTF-8",
                 "rename the file or change the environment variable that it names"};
  }
}

Result<Value> condition_row(Database& database, const std::optional<Conditions>& conditions) {
  if (!conditions) return Value();
  FLYBALL_ASSIGN(const std::string entries, conditions_text(*conditions));
  FLYBALL_ASSIGN(const int64_t id, id_of(database, "SELECT id FROM conditions WHERE entries = ?",
                                         "INSERT INTO conditions(entries) VALUES(?)", {entries}));
  return Value(id);
}

Result<std::optional<Conditions>> read_conditions(const Row& row, int column) {
  if (row.is_null(column)) return std::optional<Conditions>();
  const std::string text = row.text(column);
  const SortedJson json = SortedJson::parse(text, nullptr, false);
  bool sound = json.is_object();
  Conditions conditions;
  if (sound)
    for (const auto& [name, value] : json.items()) {
      sound = sound && value.is_string();
      if (sound) conditions[name] = value.get<std::string>();
    }
  if (sound) return std::optional(std::move(conditions));
  return Error{Code::corrupt, fmt::format("the stored conditions '{}' are damaged", text),
               "delete the run that holds them, or restore the store from a copy"};
}

}  // namespace flyball
