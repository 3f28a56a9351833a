#include "cost/networks.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <mutex>

#include "base/json.h"
#include "base/lower.h"
#include "cost/memory_json.h"

namespace flyball {
namespace {

// A figure that is one number, or one at each of the two batch sizes of the file.
double figure(const SortedJson& value, size_t batch) {
  return value.is_array() ? value.at(batch).get<double>() : value.get<double>();
}

// "kinds" holds each distinct operator once: name, kind, parameters, shapes, FLOP, bytes, kernels,
// activation bytes. "layers" says which of them follow each other, under which names.
Layer layer_of(const SortedJson& kind, const std::string& name, size_t batch) {
  Layer layer;
  layer.name = name;
  layer.op = kind.at(0).get<std::string>();
  layer.kind = parse_layer_kind(kind.at(1).get<std::string>()).value();
  layer.parameters = kind.at(2).get<double>();
  layer.shape = kind.at(3).at(batch).get<std::vector<int64_t>>();
  layer.flop = figure(kind.at(4), batch);
  layer.bytes = figure(kind.at(5), batch);
  layer.kernels = figure(kind.at(6), batch);
  layer.activation_bytes = figure(kind.at(7), batch);
  return layer;
}

LayerTable table_of(const SortedJson& file, const SortedJson& entry, size_t batch) {
  LayerTable table;
  table.workload = file.at("workload").get<std::string>();
  table.phase = parse_phase(entry.at("phase").get<std::string>()).value();
  table.rules = parse_count_rules(entry.at("rules").get<std::string>()).value();
  table.batch_size = entry.at("batch_sizes").at(batch).get<double>();
  for (const SortedJson& layer : entry.at("layers"))
    table.layers.push_back(layer_of(entry.at("kinds").at(layer.at(1).get<size_t>()),
                                    layer.at(0).get<std::string>(), batch));
  return table;
}

// Files are ours, so that reading them does not fail; each is read when it is first asked for.
struct File {
  KnownNetwork network;
  const char* text = nullptr;
  std::once_flag once{};
  SortedJson json{};

  const SortedJson& read() {
    std::call_once(once, [this] { json = SortedJson::parse(text); });
    return json;
  }
};

// {"workload": "NAME", "input": "SHAPE", … is how each begins.
std::string value_after(std::string_view text, std::string_view key) {
  const size_t from = text.find('"', text.find(key) + key.size() + 1) + 1;
  return std::string(text.substr(from, text.find('"', from) - from));
}

std::vector<std::unique_ptr<File>>& files() {
  static std::vector<std::unique_ptr<File>> all = [] {
    std::vector<std::unique_ptr<File>> made;
    for (const NetworkText& text : network_texts()) {
      auto file = std::make_unique<File>();
      file->network = {value_after(text.text, "\"workload\""), value_after(text.text, "\"input\"")};
      file->text = text.text;
      made.push_back(std::move(file));
    }
    return made;
  }();
  return all;
}

Result<File*> find(const std::string& name, const std::string& input) {
  std::vector<std::string> names, inputs;
  for (const auto& file : files()) {
    const KnownNetwork& network = file->network;
    if (std::ranges::find(names, network.name) == names.end()) names.push_back(network.name);
    if (!same_network(network.name, name)) continue;
    if (input.empty() || input == network.input) return file.get();
    inputs.push_back(network.input);
  }
  if (inputs.empty())
    return Error{Code::not_found, fmt::format("what '{}' computes is not known", name),
                 fmt::format("known: {}", fmt::join(names, ", "))};
  return Error{Code::not_found,
               fmt::format("what '{}' computes with inputs of {} is not known", name, input),
               fmt::format("known: {}", fmt::join(inputs, ", "))};
}

}  // namespace

Result<LayerTable> network_layers(const std::string& name, Phase phase, double batch_size,
                                  const std::string& input, CountRules rules) {
  FLYBALL_ASSIGN(File* const file, find(name, input));
  if (!(batch_size >= 1))
    return Error{Code::invalid_argument, fmt::format("a batch size of {}", batch_size),
                 "give 1 or more"};
  const SortedJson& json = file->read();
  // By pagoda's rules training is three forward passes.
  const bool tripled = rules == CountRules::pagoda && phase == Phase::train;
  const Phase stored = tripled ? Phase::infer : phase;
  for (const SortedJson& entry : json.at("tables")) {
    if (entry.at("phase") != phase_name(stored) || entry.at("rules") != count_rules_name(rules))
      continue;
    FLYBALL_ASSIGN(LayerTable table,
                   at_batch(table_of(json, entry, 0), table_of(json, entry, 1), batch_size));
    table.phase = phase;
    if (tripled)
      for (Layer& layer : table.layers) layer.flop *= 3, layer.bytes *= 3, layer.kernels *= 3;
    return table;
  }
  return Error{Code::not_found,
               fmt::format("what '{}' computes in {} is not known by the rules {}", name,
                           phase_name(phase), count_rules_name(rules)),
               ""};
}

std::optional<Cost> network_cost(const std::string& name, Phase phase, const std::string& input) {
  const auto two = network_layers(name, phase, 2, input);
  const auto four = network_layers(name, phase, 4, input);
  if (!two || !four) return {};
  const auto cost = cost_of(*two, *four);
  return cost ? std::optional(*cost) : std::nullopt;
}

Result<NetworkMemory> network_memory(const std::string& name, Phase phase,
                                     const std::string& input) {
  FLYBALL_ASSIGN(File* const file, find(name, input));
  for (const SortedJson& entry : file->read().at("memory"))
    if (entry.at("phase") == phase_name(phase))
      return NetworkMemory{read_memory_model(entry.at("steps_held")),
                           entry.at("sample_bytes").get<double>()};
  return Error{Code::not_found,
               fmt::format("what '{}' holds in {} is not known", name, phase_name(phase)), ""};
}

bool same_network(const std::string& a, const std::string& b) {
  return bare(a) == bare(b);
}

bool is_known_network(const std::string& name) {
  return find(name, "").ok();
}

std::vector<KnownNetwork> known_networks() {
  std::vector<KnownNetwork> all;
  for (const auto& file : files()) all.push_back(file->network);
  return all;
}

}  // namespace flyball
