#include "schema_testing.h"

#include <filesystem>
#include <fstream>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

namespace flyball::testing_tools {

nlohmann::json read_schema(const std::string& file) {
  std::ifstream text(std::filesystem::path(FLYBALL_SOURCE_DIR) / "docs/schema" / file);
  return nlohmann::json::parse(text);
}

std::vector<std::string> schema_faults(const std::string& name, const nlohmann::json& document) {
  using Adapter = valijson::adapters::NlohmannJsonAdapter;
  const nlohmann::json text = read_schema(name + ".json");
  valijson::Schema schema;
  valijson::SchemaParser().populateSchema(
      Adapter(text), schema,
      [](const std::string& uri) { return new nlohmann::json(read_schema(uri)); },
      [](const nlohmann::json* fetched) { delete fetched; });
  valijson::ValidationResults results;
  valijson::Validator validator;
  std::vector<std::string> faults;
  if (validator.validate(schema, Adapter(document), &results)) return faults;
  for (valijson::ValidationResults::Error error; results.popError(error);) {
    std::string where;
    for (const std::string& part : error.context) where += part;
    faults.push_back(where + ": " + error.description);
  }
  return faults;
}

}  // namespace flyball::testing_tools
