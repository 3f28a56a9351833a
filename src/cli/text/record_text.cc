#include "cli/text/record_text.h"

#include <fmt/format.h>

#include "base/amounts.h"
#include "base/figure.h"
#include "base/json.h"
#include "base/units.h"
#include "cli/output.h"

namespace flyball::cli {
namespace {

std::string figure_or_dash(const Json& value, int digits = 4) {
  return value.is_number() ? number(value.get<double>(), digits) : "-";
}

std::string gap_text(const Json& of) {
  const double gap_s = of["gap_s"].get<double>();
  return gap_s > 0 ? fmt::format("{} s", number(gap_s, 3)) : "none";
}

std::string totals_table(const Json& record) {
  TextTable table({"power", "energy", "mean W", "not measured"});
  const auto energy = [](const Json& of) {
    if (!of["energy_j"].is_number()) return std::string("-");
    return fmt::format("{} \u00b1 {} J", format_joules(of["energy_j"].get<double>()),
                       number(of["error_j"].get<double>(), 2));
  };
  for (const Json& total : record["totals"])
    table.add({total["name"].get<std::string>() + " (total)", energy(total),
               figure_or_dash(total["mean_w"]), gap_text(total)});
  for (const Json& channel : record["channels"])
    if (channel.contains("energy_j"))
      table.add({channel["name"].get<std::string>(), energy(channel),
                 figure_or_dash(channel["mean"]), gap_text(channel)});
  return table.empty() ? "" : table.str();
}

std::string thinned_text(const Json& thinned) {
  std::string text;
  const auto add = [&](const char* key, const char* words) {
    const double since_s = thinned[key].get<double>();
    if (since_s > 0)
      text += fmt::format("note: thinned before {}: {}\n", format_seconds({since_s}), words);
  };
  add("samples_since_s", "of power values by second");
  add("slow_since_s", "of what is read once a second values by minute");
  add("seconds_since_s", "of power values by minute");
  return text;
}

}  // namespace

std::string record_text(const Json& record) {
  std::string text = fmt::format(
      "{}: {} of {}, {} channels, {}\n", record["file"].get<std::string>(),
      format_seconds({record["seconds"].get<double>()}), record["board"].get<std::string>(),
      record["channels"].size(), format_bytes(record["bytes"].get<double>()));
  text += totals_table(record);
  if (record["own_cpu_percent"].is_number())
    text += fmt::format("reading and writing took {} % of one core\n",
                        number(record["own_cpu_percent"].get<double>(), 2));
  for (const Json& run : record["runs"])
    text += fmt::format("run {} of {}: {}\n", run["number"].get<int64_t>(),
                        run["place"].get<std::string>(), run["command"].get<std::string>());
  text += thinned_text(record["thinned"]);
  for (const Json& gap : record["gaps"])
    text += fmt::format("note: {}\n", gap["message"].get<std::string>());
  for (const Json& damaged : record["damaged"])
    text += fmt::format("note: left out: {}\n", damaged.get<std::string>());
  if (record["remarks"].is_string())
    text += fmt::format("note: {}\n", record["remarks"].get<std::string>());
  return text;
}

}  // namespace flyball::cli
