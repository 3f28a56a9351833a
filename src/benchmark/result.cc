#include "benchmark/result.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "answers/answer.h"
#include "base/files.h"
#include "base/json.h"
#include "base/os/file_version.h"

namespace flyball {
namespace {

constexpr size_t largest_file = size_t{64} << 20;
constexpr const char* signed_off_key = "signed_off";

Json definition_json(const BenchmarkEntry& entry) {
  return {{"id", entry.id},
          {"network", entry.network},
          {"dataset", entry.dataset},
          {"samples", entry.samples},
          {"classes", entry.classes},
          {"picture_width", entry.size.width},
          {"picture_height", entry.size.height},
          {"image_size", entry.image_size},
          {"batch_size", entry.batch_size},
          {"optimizer", optimizer_name(entry.optimizer)},
          {"learning_rate", entry.learning_rate},
          {"quality", quality_name(entry.quality)},
          {"target", entry.target},
          {"reference_epochs", entry.epochs},
          {"most_epochs", entry.most_epochs}};
}

Json settings_json(const FreeSettings& settings) {
  return {{"compute", text_or_null(settings.compute)},
          {"loader_workers", settings.workers},
          {"prefetch", settings.prefetch},
          {"threads", settings.threads},
          {"precision", precision_name(settings.precision)}};
}

Json power_json(const BenchmarkPower& power, Provenance provenance) {
  if (power.total.empty()) return nullptr;
  Json json{{"total", power.total}, {"mean_w", power.mean_w}};
  const bool seen = provenance == Provenance::measured;
  json["sensors"] = power.sensors;
  json["trained_before_s"] = seen ? Json(power.trained_s) : Json(nullptr);
  json["begin_s"] = seen ? Json(power.begin_s) : Json(nullptr);
  json["end_s"] = seen ? Json(power.end_s) : Json(nullptr);
  json["energy_j"] = seen ? Json(power.energy_j) : Json(nullptr);
  json["updates"] = seen ? Json(power.updates) : Json(nullptr);
  json["samples"] = Json::array();
  for (const auto& [at_s, power_w] : power.samples)
    json["samples"].push_back({{"at_s", at_s}, {"power_w", power_w}});
  return json;
}

/// What follows from the rest: a reader need not work it out, and check does again.
Json derived_json(const EntryResult& result) {
  return {{"epochs_to_target", or_null(result.epochs_to_target())},
          {"time_to_target_s", or_null(result.time_to_target_s())},
          {"energy_to_target_j", or_null(result.energy_to_target_j())},
          {"epoch_s", or_null(result.epoch_s())},
          {"epoch_j", or_null(result.epoch_j())}};
}

Json entry_json(const EntryResult& result, const std::string& flyball) {
  Json json{{"entry", definition_json(result.entry)},
            {"settings", settings_json(result.settings)},
            {"provenance", provenance_name(result.provenance)},
            {"flyball", result.flyball.empty() ? flyball : result.flyball},
            {"libraries", text_or_null(result.libraries)},
            {"test_samples", result.test_samples}};
  json.update(derived_json(result));
  json["epochs"] = Json::array();
  for (const BenchmarkEpoch& epoch : result.epochs)
    json["epochs"].push_back({{"e2e_s", epoch.e2e_s},
                              {"stall_s", epoch.stall_s},
                              {"compute_s", epoch.compute_s},
                              {"overhead_s", epoch.overhead_s},
                              {"loss", or_null(epoch.loss)},
                              {"quality", or_null(epoch.quality)},
                              {"others_cpu_pct", or_null(epoch.others_cpu_pct)}});
  json["power"] = power_json(result.power, result.provenance);
  json["power_gap"] = text_or_null(result.power.gap);
  json["throttled"] = result.watched ? Json(result.throttled) : Json();
  json["disturbed"] = text_or_null(result.disturbed);
  json["failure"] = text_or_null(result.failure);
  return json;
}

std::string digest_of(Json document) {
  document.erase(signed_off_key);
  return fmt::format("{:016x}",
                     content_hash(document.dump(-1, ' ', false, Json::error_handler_t::replace)));
}

template <class Value>
std::optional<Value> optional_of(const Json& json, const char* key) {
  const Json& value = json.at(key);
  return value.is_null() ? std::nullopt : std::optional<Value>(value.get<Value>());
}
std::string text_for_null(const Json& json, const char* key) {
  return optional_of<std::string>(json, key).value_or("");
}

// These throw what nlohmann's JSON throws where a key is missing or of another type.
Result<BenchmarkEntry> read_definition(const Json& json) {
  BenchmarkEntry entry;
  entry.id = json.at("id");
  entry.network = json.at("network");
  entry.dataset = json.at("dataset");
  entry.samples = json.at("samples");
  entry.classes = json.at("classes");
  entry.size.width = json.at("picture_width");
  entry.size.height = json.at("picture_height");
  entry.image_size = json.at("image_size");
  entry.batch_size = json.at("batch_size");
  FLYBALL_ASSIGN(entry.optimizer, parse_optimizer(json.at("optimizer")));
  entry.learning_rate = json.at("learning_rate");
  FLYBALL_ASSIGN(entry.quality, parse_quality(json.at("quality")));
  entry.target = json.at("target");
  entry.epochs = json.at("reference_epochs");
  entry.most_epochs = json.at("most_epochs");
  return entry;
}

Result<FreeSettings> read_settings(const Json& json) {
  FreeSettings settings;
  settings.compute = text_for_null(json, "compute");
  settings.workers = json.at("loader_workers");
  settings.prefetch = json.at("prefetch");
  settings.threads = json.at("threads");
  FLYBALL_ASSIGN(settings.precision, parse_precision(json.at("precision")));
  return settings;
}

BenchmarkPower read_power(const Json& entry) {
  BenchmarkPower power;
  power.gap = text_for_null(entry, "power_gap");
  const Json& json = entry.at("power");
  if (json.is_null()) return power;
  power.total = json.at("total");
  power.mean_w = json.at("mean_w");
  power.sensors = json.at("sensors").get<std::vector<std::string>>();
  power.trained_s = optional_of<double>(json, "trained_before_s").value_or(0);
  power.begin_s = optional_of<double>(json, "begin_s").value_or(0);
  power.end_s = optional_of<double>(json, "end_s").value_or(0);
  power.energy_j = optional_of<double>(json, "energy_j").value_or(0);
  power.updates = optional_of<int>(json, "updates").value_or(0);
  for (const Json& sample : json.at("samples"))
    power.samples.emplace_back(sample.at("at_s"), sample.at("power_w"));
  return power;
}

Result<EntryResult> read_entry(const Json& json) {
  EntryResult result;
  FLYBALL_ASSIGN(result.entry, read_definition(json.at("entry")));
  FLYBALL_ASSIGN(result.settings, read_settings(json.at("settings")));
  FLYBALL_ASSIGN(result.provenance, parse_provenance(json.at("provenance")));
  result.libraries = text_for_null(json, "libraries");
  result.test_samples = json.at("test_samples");
  for (const Json& epoch : json.at("epochs"))
    result.epochs.push_back({.e2e_s = epoch.at("e2e_s"),
                             .stall_s = epoch.at("stall_s"),
                             .compute_s = epoch.at("compute_s"),
                             .overhead_s = epoch.at("overhead_s"),
                             .loss = optional_of<double>(epoch, "loss"),
                             .quality = optional_of<double>(epoch, "quality"),
                             .others_cpu_pct = epoch.contains("others_cpu_pct")
                                                   ? optional_of<double>(epoch, "others_cpu_pct")
                                                   : std::nullopt});
  result.power = read_power(json);
  result.watched = !json.at("throttled").is_null();
  if (result.watched) result.throttled = json.at("throttled").get<std::vector<std::string>>();
  result.disturbed = text_for_null(json, "disturbed");
  result.failure = text_for_null(json, "failure");
  return result;
}

PowerMode read_mode(const Json& json) {
  PowerMode mode;
  for (const auto& [axis, value] : json.items()) mode.values[axis] = value.get<double>();
  return mode;
}

Result<BenchmarkResult> read_result(const Json& json) {
  BenchmarkResult result;
  result.benchmark = json.at("benchmark").at("name");
  result.version = json.at("benchmark").at("version");
  result.definition = json.at("benchmark").at("digest");
  result.flyball = json.at("flyball");
  result.started_utc = json.at("started_utc");
  const Json& board = json.at("board");
  result.board.name = board.at("name");
  result.board.title = board.at("title");
  result.board.fingerprint = board.at("fingerprint");
  result.board.settings = board.at("settings").get<Conditions>();
  result.machine = board.value("machine", "");
  result.mode = read_mode(json.at("mode"));
  result.mode_after = read_mode(json.at("mode_after"));
  for (const Json& entry : json.at("entries")) {
    FLYBALL_ASSIGN(result.entries.emplace_back(), read_entry(entry));
    result.entries.back().flyball = entry.value("flyball", result.flyball);
  }
  if (json.at(signed_off_key).is_object()) {
    result.signed_off_by = json.at(signed_off_key).at("by");
    result.signed_off_utc = json.at(signed_off_key).at("utc");
  }
  return result;
}

bool agree(const Json& told, const Json& found) {
  if (told.is_null() || found.is_null()) return told.is_null() && found.is_null();
  if (!told.is_number()) return false;
  const double value = found.get<double>();
  return std::abs(told.get<double>() - value) <= 1e-9 * std::abs(value);
}

/// Which figure does not follow from the rest; "" where all do.
std::string wrong_figure(const BenchmarkResult& result, const Json& json) {
  for (size_t i = 0; i < result.entries.size(); ++i) {
    const Json found = derived_json(result.entries[i]);
    for (auto figure = found.begin(); figure != found.end(); ++figure) {
      const Json& told = json.at("entries")[i].at(figure.key());
      if (!agree(told, *figure))
        return fmt::format("{} of {} is {}, and {} follows from the epochs", figure.key(),
                           result.entries[i].entry.id, told.dump(), figure->dump());
    }
  }
  return "";
}

}  // namespace

Provenance BenchmarkResult::provenance() const {
  const bool measured = std::ranges::all_of(
      entries, [](const EntryResult& entry) { return entry.provenance == Provenance::measured; });
  return measured ? Provenance::measured : Provenance::simulated;
}

Json benchmark_json(const BenchmarkResult& result) {
  Json json{
      {"schema", json_schema},
      {"benchmark",
       {{"name", result.benchmark}, {"version", result.version}, {"digest", result.definition}}},
      {"flyball", result.flyball},
      {"started_utc", result.started_utc},
      {"board",
       {{"name", result.board.name},
        {"title", result.board.title},
        {"fingerprint", result.board.fingerprint},
        {"settings", result.board.settings}}},
      {"mode", result.mode.values},
      {"mode_after", result.mode_after.values}};
  if (!result.machine.empty()) json["board"]["machine"] = result.machine;
  json["entries"] = Json::array();
  for (const EntryResult& entry : result.entries)
    json["entries"].push_back(entry_json(entry, result.flyball));
  const std::string digest = digest_of(json);
  json[signed_off_key] = {
      {"by", result.signed_off_by}, {"utc", result.signed_off_utc}, {"digest", digest}};
  return json;
}

Result<ReadResult> parse_benchmark_result(const std::string& text, const std::string& name) {
  const auto bad = [&](const std::string& why) {
    return Error{Code::invalid_argument,
                 fmt::format("{} is no result of the benchmark: {}", name, why),
                 "`flyball experiment benchmark run` writes one"};
  };
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return bad("it is no JSON object");
  try {
    ReadResult read;
    read.file = name;
    if (const Json& schema = json.at("schema"); schema != json_schema)
      return bad(fmt::format("its schema is {}, and {} is known", schema.dump(), json_schema));
    const auto result = read_result(json);
    if (!result) return bad(result.error().message);
    read.result = *result;
    const std::string told = json.at(signed_off_key).at("digest");
    if (told != digest_of(json))
      read.edited = "it was changed after it was written";
    else
      read.edited = wrong_figure(read.result, json);
    return read;
  } catch (const Json::exception& wrong) {
    const std::string what = wrong.what();  // "[json.exception.…] key 'epochs' not found"
    const size_t name_end = what.find("] ");
    return bad(name_end == std::string::npos ? what : what.substr(name_end + 2));
  }
}

Result<ReadResult> read_benchmark_result(const std::filesystem::path& file) {
  FLYBALL_ASSIGN(const std::string text, read_file(file, largest_file));
  return parse_benchmark_result(text, file.string());
}

}  // namespace flyball
