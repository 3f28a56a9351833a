#include "report/sheet.h"

namespace flyball {

SheetJson new_sheet(const SheetHead& head) {
  SheetJson sheet{
      {"schema", "flyball-report/2"},   {"kind", head.kind},         {"title", head.title},
      {"subject", head.subject},        {"headline", head.headline}, {"command", head.command},
      {"started_at", head.started_utc}, {"version", FLYBALL_VERSION}};
  for (const char* list : {"lines", "figures", "apply", "charts", "tables", "facts"})
    sheet[list] = SheetJson::array();
  sheet["notes"] = SheetJson::array();
  return sheet;
}

SheetJson sheet_figure(const std::string& label, const SheetJson& value, const std::string& unit,
                       const std::string& provenance, const std::string& note) {
  SheetJson figure{{"label", label}, {"value", value}, {"unit", unit}};
  if (!provenance.empty()) figure["provenance"] = provenance;
  if (!note.empty()) figure["note"] = note;
  return figure;
}

SheetJson sheet_table(const std::string& title, const std::string& text,
                      const std::vector<std::pair<std::string, std::string>>& columns_and_units) {
  SheetJson columns = SheetJson::array();
  for (const auto& [label, unit] : columns_and_units)
    columns.push_back({{"label", label}, {"unit", unit}});
  return {{"title", title}, {"text", text}, {"columns", columns}, {"rows", SheetJson::array()}};
}

SheetJson sheet_row(SheetJson cells, const std::string& provenance, bool marked) {
  SheetJson row{{"cells", std::move(cells)}};
  if (!provenance.empty()) row["provenance"] = provenance;
  if (marked) row["marked"] = true;
  return row;
}

void add_note(SheetJson& sheet, const char* level, const std::string& text,
              const std::string& hint) {
  SheetJson note{{"level", level}, {"text", text}};
  if (!hint.empty()) note["hint"] = hint;
  sheet["notes"].push_back(std::move(note));
}

SheetJson fact_list(const std::string& title,
                    const std::vector<std::pair<std::string, std::string>>& facts) {
  SheetJson list = SheetJson::array();
  for (const auto& [name, value] : facts)
    if (!value.empty()) list.push_back({{"name", name}, {"value", value}});
  return {{"title", title}, {"list", list}};
}

SheetJson machine_facts(const std::string& title, const std::string& device,
                        const std::string& fingerprint, const Conditions& conditions) {
  std::vector<std::pair<std::string, std::string>> facts = {{"name", device},
                                                            {"fingerprint", fingerprint}};
  facts.insert(facts.end(), conditions.begin(), conditions.end());
  return fact_list(title, facts);
}

}  // namespace flyball
