#include "benchmark/definition.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/os/file_version.h"
#include "boards/toml_reader.h"

namespace flyball {
namespace {

class BenchmarkReader : public TomlReader {
 public:
  using TomlReader::TomlReader;

  Result<Benchmark> benchmark(const toml::table& document) const {
    FLYBALL_CHECK(
        only(document, "", {"name", "version", "seed", "time", "power", "alone", "entry"}));
    Benchmark benchmark;
    FLYBALL_ASSIGN(benchmark.name, text(document, "name"));
    FLYBALL_ASSIGN(benchmark.version, number<int>(document, "version"));
    FLYBALL_ASSIGN(benchmark.seed, number<uint64_t>(document, "seed"));
    FLYBALL_ASSIGN(benchmark.rules, rules(document));
    const toml::array* entries = document["entry"].as_array();
    if (!entries) return at(document, "there is no [[entry]]");
    for (const toml::node& node : *entries) {
      const toml::table* table = node.as_table();
      if (!table) return at(node, "[[entry]] is no table");
      FLYBALL_ASSIGN(BenchmarkEntry one, entry(*table));
      if (benchmark.find(one.id))
        return at(*table, fmt::format("there are two entries '{}'", one.id));
      benchmark.entries.push_back(std::move(one));
    }
    return benchmark;
  }

 private:
  Result<std::string> text(const toml::table& table, const char* key) const {
    FLYBALL_ASSIGN(std::string value, TomlReader::text(table, key));
    if (!value.empty()) return value;
    return at(table, fmt::format("{} is missing", key));
  }

  /// Above 0.
  template <class Number>
  Result<Number> number(const toml::table& table, const char* key) const {
    const auto value = table[key].value<Number>();
    if (value && *value > 0) return *value;
    return at(table, fmt::format("{} is missing, or no number above 0", key));
  }

  Result<BenchmarkRules> rules(const toml::table& document) const {
    const toml::table* time = document["time"].as_table();
    const toml::table* power = document["power"].as_table();
    const toml::table* alone = document["alone"].as_table();
    if (!time || !power || !alone)
      return at(document, "the rules of [time], [power] and [alone] are missing");
    FLYBALL_CHECK(only(*time, " in [time]", {"later_epochs"}));
    FLYBALL_CHECK(only(*power, " in [power]", {"samples", "rate_hz", "unevenness", "settle_s"}));
    FLYBALL_CHECK(only(*alone, " in [alone]", {"others_pct"}));
    BenchmarkRules rules;
    FLYBALL_ASSIGN(rules.later_epochs, number<int>(*time, "later_epochs"));
    FLYBALL_ASSIGN(rules.power_samples, number<int>(*power, "samples"));
    FLYBALL_ASSIGN(rules.rate_hz, number<double>(*power, "rate_hz"));
    FLYBALL_ASSIGN(rules.unevenness, number<double>(*power, "unevenness"));
    FLYBALL_ASSIGN(rules.settle_s, number<double>(*power, "settle_s"));
    FLYBALL_ASSIGN(rules.others_pct, number<double>(*alone, "others_pct"));
    return rules;
  }

  Result<BenchmarkEntry> entry(const toml::table& table) const {
    FLYBALL_CHECK(only(table, " in [[entry]]",
                       {"id", "network", "dataset", "samples", "classes", "width", "height",
                        "image_size", "batch_size", "optimizer", "learning_rate", "quality",
                        "target", "epochs", "most_epochs"}));
    BenchmarkEntry entry;
    FLYBALL_ASSIGN(entry.id, text(table, "id"));
    FLYBALL_ASSIGN(entry.network, text(table, "network"));
    FLYBALL_ASSIGN(entry.dataset, text(table, "dataset"));
    FLYBALL_ASSIGN(entry.samples, number<int64_t>(table, "samples"));
    entry.classes = table["classes"].value_or(int64_t{0});
    entry.size.width = table["width"].value_or(entry.size.width);
    entry.size.height = table["height"].value_or(entry.size.height);
    entry.image_size = table["image_size"].value_or(0);
    FLYBALL_ASSIGN(entry.batch_size, number<int64_t>(table, "batch_size"));
    FLYBALL_ASSIGN(entry.learning_rate, number<double>(table, "learning_rate"));
    FLYBALL_ASSIGN(entry.target, number<double>(table, "target"));
    FLYBALL_ASSIGN(entry.epochs, number<int>(table, "epochs"));
    FLYBALL_ASSIGN(entry.most_epochs, number<int>(table, "most_epochs"));
    if (entry.epochs > entry.most_epochs) return at(table, "most_epochs are fewer than epochs");
    const auto optimizer = parse_optimizer(table["optimizer"].value_or(std::string()));
    if (!optimizer) return at(table, optimizer.error());
    const auto quality = parse_quality(table["quality"].value_or(std::string()));
    if (!quality) return at(table, quality.error());
    entry.optimizer = *optimizer;
    entry.quality = *quality;
    return entry;
  }
};

}  // namespace

std::string BenchmarkEntry::set_name() const {
  std::string name = fmt::format("{}-{}", dataset, samples);
  if (classes > 0) name += fmt::format("-{}x{}x{}", classes, size.width, size.height);
  return name;
}

std::string BenchmarkEntry::target_text() const {
  return fmt::format("{} {} {:g}", quality_name(quality), lower_is_better(quality) ? "≤" : "≥",
                     target);
}

const BenchmarkEntry* Benchmark::find(const std::string& id) const {
  const auto found = std::ranges::find(entries, id, &BenchmarkEntry::id);
  return found == entries.end() ? nullptr : &*found;
}

Result<Benchmark> parse_benchmark(const std::string& text, const std::string& name) {
  const BenchmarkReader reader(name, "benchmark.md");
  FLYBALL_ASSIGN(const toml::table document, reader.parse(text));
  FLYBALL_ASSIGN(Benchmark benchmark, reader.benchmark(document));
  benchmark.digest = fmt::format("{:016x}", content_hash(text));
  return benchmark;
}

Result<Benchmark> edge_training() {
  const BenchmarkText& only = benchmark_texts().front();
  return parse_benchmark(only.text, only.file);
}

}  // namespace flyball
