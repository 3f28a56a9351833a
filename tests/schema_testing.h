// Holds documents against the schemas of docs/schema.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace flyball::testing_tools {

/// A file of docs/schema.
nlohmann::json read_schema(const std::string& file);

/// What is wrong with a document of the schema `name`, outermost first; empty when it keeps to it.
std::vector<std::string> schema_faults(const std::string& name, const nlohmann::json& document);

}  // namespace flyball::testing_tools
