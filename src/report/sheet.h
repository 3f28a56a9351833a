// The document of a plan's page (docs/report-data.md): words, figures, points and tables.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "space/conditions.h"

namespace flyball {

using SheetJson = nlohmann::ordered_json;

/// What every sheet says of itself.
struct SheetHead {
  std::string kind;     ///< "plan"
  std::string title;    ///< of the window
  std::string subject;  ///< the line above the headline
  std::string headline;
  std::string command;      ///< as it was typed
  std::string started_utc;  ///< ISO 8601
};
/// A sheet with nothing but its head; the lists are empty.
SheetJson new_sheet(const SheetHead& head);

/// `provenance` is "" where a figure is of no kind of its own.
SheetJson sheet_figure(const std::string& label, const SheetJson& value, const std::string& unit,
                       const std::string& provenance = "", const std::string& note = "");
SheetJson sheet_table(const std::string& title, const std::string& text,
                      const std::vector<std::pair<std::string, std::string>>& columns_and_units);
/// `provenance` is "" where the row is of no kind of its own.
SheetJson sheet_row(SheetJson cells, const std::string& provenance = "", bool marked = false);
void add_note(SheetJson& sheet, const char* level, const std::string& text,
              const std::string& hint = "");
/// Name and value of each, under one heading.
SheetJson fact_list(const std::string& title,
                    const std::vector<std::pair<std::string, std::string>>& facts);
/// The machine and what else decides how fast a trial is.
SheetJson machine_facts(const std::string& title, const std::string& device,
                        const std::string& fingerprint, const Conditions& conditions);

}  // namespace flyball
