#include "experiment/spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/files.h"
#include "base/text.h"
#include "boards/toml_reader.h"

namespace flyball {
namespace {

constexpr size_t most_values = 64, most_runs = 4096;

class ExperimentReader : public TomlReader {
 public:
  using TomlReader::TomlReader;

  Result<SettingValue> value(const toml::node& node) const {
    if (const auto word = node.value_exact<std::string>()) return SettingValue(*word);
    if (node.is_number())
      if (const auto plain = node.value<double>(); plain && std::isfinite(*plain))
        return SettingValue(*plain);
    return at(node, "this is neither a number nor a text");
  }

  Status fixed(const toml::table& table, ExperimentSpec& spec) const {
    FLYBALL_CHECK(only(table, " in [fixed]", setting_names()));
    for (const auto& [key, node] : table) {
      FLYBALL_ASSIGN(const SettingValue setting, value(node));
      const Status set = set_setting(spec.fixed, std::string(key.str()), setting);
      if (!set.ok()) return at(node, set.error());
    }
    return {};
  }

  Status vary(const toml::table& table, const toml::table* fixed, ExperimentSpec& spec) const {
    FLYBALL_CHECK(only(table, " in [vary]", setting_names()));
    size_t runs = 1;
    for (const auto& [key, node] : table) {
      Varied varied{.name = std::string(key.str()), .values = {}};
      if (fixed && fixed->contains(key.str()))
        return at(node, fmt::format("{} is both fixed and varied", varied.name),
                  "keep it in one of [fixed] and [vary]");
      const toml::array* list = node.as_array();
      if (!list || list->empty() || list->size() > most_values)
        return at(node, fmt::format("{} takes no list of values", varied.name),
                  fmt::format("e.g. {} = [1, 2, 4]; at most {}", varied.name, most_values));
      for (const toml::node& item : *list) {
        FLYBALL_ASSIGN(SettingValue setting, value(item));
        RunSettings scratch;
        const Status set = set_setting(scratch, varied.name, setting);
        if (!set.ok()) return at(item, set.error());
        if (std::find(varied.values.begin(), varied.values.end(), setting) != varied.values.end())
          return at(item, fmt::format("{} takes {} twice", varied.name, setting_text(setting)));
        varied.values.push_back(std::move(setting));
      }
      runs *= varied.values.size();
      if (runs > most_runs)
        return at(node, fmt::format("that makes more than {} runs", most_runs), "vary less");
      spec.vary.push_back(std::move(varied));
    }
    return {};
  }

  Status media(const toml::table& document, ExperimentSpec& spec) const {
    const toml::node* node = document.get("media");
    if (!node) return {};
    const toml::array* list = node->as_array();
    if (!list) return at(*node, "media is no list", "write [[media]] for each");
    for (const toml::node& item : *list) {
      const toml::table* table = item.as_table();
      if (!table) return at(item, "a medium is a table", "write [[media]] for each");
      FLYBALL_CHECK(only(*table, " in [[media]]", {"name", "folder", "read_mb_s"}));
      Medium medium;
      FLYBALL_ASSIGN(medium.name, text(*table, "name", ""));
      FLYBALL_ASSIGN(const std::string folder, text(*table, "folder", ""));
      medium.folder = folder;
      FLYBALL_ASSIGN(medium.read_mb_s, number(*table, "read_mb_s", 0, 0.1, 1e6));
      if (medium.name.empty()) return at(item, "a medium has no name", "name = \"disk\"");
      if (spec.medium(medium.name))
        return at(item, fmt::format("there are two media '{}'", medium.name));
      spec.media.push_back(std::move(medium));
    }
    return {};
  }

  Status modes(const toml::table& document, ExperimentSpec& spec) const {
    FLYBALL_ASSIGN(const toml::table* named, table(document, "modes"));
    if (!named) return {};
    for (const auto& [key, node] : *named) {
      const auto mode = node.value_exact<std::string>();
      if (!mode || mode->empty())
        return at(node, fmt::format("mode {} is no text", key.str()),
                  "e.g. a = \"cpu_cores=4,gpu_mhz=612\", or the name of a preset");
      spec.modes.emplace(std::string(key.str()), *mode);
    }
    return {};
  }

  Status known_media(const toml::table& document, const ExperimentSpec& spec) const {
    for (const RunSettings& run : spec.runs())
      if (!run.medium.empty() && !spec.medium(run.medium))
        return at(document, fmt::format("there is no medium '{}'", run.medium),
                  "write [[media]] with its name, and folder or read_mb_s");
    return {};
  }

  Status memory(const toml::table& document, const ExperimentSpec& spec) const {
    for (const RunSettings& run : spec.runs()) {
      if (run.memory_mb > 0 && run.memory_pct > 0)
        return at(document, "memory_mb and memory_pct are two limits", "keep one of them");
      if (run.cache_pct > 0 && run.memory_mb == 0 && run.memory_pct == 0)
        return at(document, "cache_pct is a share of a memory that is not limited",
                  "write memory_pct, in percent of the set's bytes, or memory_mb");
    }
    return {};
  }

  // What is compared is runtimes; a limit of memory or a throttled disk is of this process.
  Status runtimes(const toml::table& document, const ExperimentSpec& spec) const {
    const char* hint = "question = \"containers\" and, in [vary], runtime = [\"bare\", \"bwrap\"]";
    size_t bare = 0, contained = 0;
    for (const RunSettings& run : spec.runs()) {
      if (run.runtime == "bare") ++bare;
      if (run.runtime.empty()) continue;
      ++contained;
      if (run.memory_mb > 0 || run.memory_pct > 0 || !run.medium.empty() || !run.state.empty())
        return at(document, "memory_mb, memory_pct, medium and state are not for runtimes",
                  "leave them out: each run is a process of its own");
    }
    const bool asks = spec.question == Question::containers;
    if (asks != (contained > 0)) return at(document, "runtimes are for question containers", hint);
    if (asks && !(spec.varies_runtime() && bare > 0))
      return at(document, "no run is bare, which the others are compared with", hint);
    return {};
  }

  Result<ExperimentSpec> document(const toml::table& document) const {
    ExperimentSpec spec;
    FLYBALL_CHECK(only(document, "",
                       {"title", "question", "repeats", "no_difference_pct", "data", "dataset",
                        "fixed", "vary", "media", "modes"}));
    FLYBALL_ASSIGN(spec.title, text(document, "title", ""));
    FLYBALL_ASSIGN(spec.question, question(document));
    FLYBALL_ASSIGN(spec.repeats, number<int>(document, "repeats", 1, 1, 1000));
    FLYBALL_ASSIGN(spec.no_difference_pct, number(document, "no_difference_pct", 3, 0.01, 100));
    FLYBALL_ASSIGN(const std::string data, text(document, "data", ""));
    spec.data = data;
    FLYBALL_ASSIGN(const toml::table* dataset, table(document, "dataset"));
    if (dataset) {
      FLYBALL_CHECK(only(*dataset, " in [dataset]", {"make", "samples", "width", "height"}));
      FLYBALL_ASSIGN(spec.dataset.kind, text(*dataset, "make", ""));
      FLYBALL_ASSIGN(spec.dataset.samples,
                     number<int64_t>(*dataset, "samples", 256, 1, 10'000'000));
      FLYBALL_ASSIGN(spec.dataset.width, number<int>(*dataset, "width", 500, 32, 8192));
      FLYBALL_ASSIGN(spec.dataset.height, number<int>(*dataset, "height", 375, 32, 8192));
      if (spec.dataset.kind.empty())
        return at(*dataset, "[dataset] does not say what to make", "make = \"images\"");
    }
    FLYBALL_ASSIGN(const toml::table* fixed_table, table(document, "fixed"));
    if (fixed_table) FLYBALL_CHECK(fixed(*fixed_table, spec));
    FLYBALL_ASSIGN(const toml::table* vary_table, table(document, "vary"));
    if (vary_table) FLYBALL_CHECK(vary(*vary_table, fixed_table, spec));
    FLYBALL_CHECK(media(document, spec));
    FLYBALL_CHECK(modes(document, spec));
    FLYBALL_CHECK(known_media(document, spec));
    FLYBALL_CHECK(memory(document, spec));
    FLYBALL_CHECK(runtimes(document, spec));
    return spec;
  }

 private:
  Result<Question> question(const toml::table& document) const {
    std::vector<std::string> names;
    FLYBALL_ASSIGN(const std::string asked, text(document, "question", ""));
    for (int i = 0; i <= static_cast<int>(Question::containers); ++i) {
      names.emplace_back(question_name(static_cast<Question>(i)));
      if (names.back() == asked) return static_cast<Question>(i);
    }
    const toml::node* node = document.get("question");
    return at(node ? *node : static_cast<const toml::node&>(document),
              asked.empty() ? "there is no question" : fmt::format("no question '{}'", asked),
              "question = one of: " + join(names, ", "));
  }
};

}  // namespace

std::string MadeDataset::label() const {
  return fmt::format("{}-{}-{}x{}", kind, samples, width, height);
}

std::vector<RunSettings> ExperimentSpec::runs() const {
  if (!listed.empty()) return listed;
  std::vector<RunSettings> all = {fixed};
  for (const Varied& varied : vary) {
    std::vector<RunSettings> more;
    for (const RunSettings& run : all)
      for (const SettingValue& value : varied.values) {
        more.push_back(run);
        (void)set_setting(more.back(), varied.name, value).ok();
      }
    all = std::move(more);
  }
  return all;
}

bool ExperimentSpec::varies_runtime() const {
  return std::ranges::find(vary, "runtime", &Varied::name) != vary.end();
}

ExperimentSpec ExperimentSpec::scaled(double factor) const {
  const auto megabytes = [factor](double mb) { return mb > 0 ? std::max(16.0, mb * factor) : 0; };
  ExperimentSpec other = *this;
  other.dataset.samples =
      std::max<int64_t>(1, std::llround(static_cast<double>(dataset.samples) * factor));
  other.fixed.memory_mb = megabytes(fixed.memory_mb);
  for (Varied& varied : other.vary)
    if (varied.name == "memory_mb")
      for (SettingValue& value : varied.values) value = megabytes(std::get<double>(value));
  return other;
}

const Medium* ExperimentSpec::medium(const std::string& medium_name) const {
  const auto found = std::find_if(media.begin(), media.end(),
                                  [&](const Medium& medium) { return medium.name == medium_name; });
  return found == media.end() ? nullptr : &*found;
}

Result<ExperimentSpec> parse_experiment(std::string_view text, const std::string& file) {
  const ExperimentReader reader(file, "characterise.md");
  FLYBALL_ASSIGN(const toml::table document, reader.parse(text));
  FLYBALL_ASSIGN(ExperimentSpec spec, reader.document(document));
  spec.name = std::filesystem::path(file).stem();
  if (spec.title.empty()) spec.title = spec.name;
  return spec;
}

Result<ExperimentSpec> read_experiment(const std::filesystem::path& file) {
  FLYBALL_ASSIGN(const std::string text, read_file(file, 1 << 20));
  return parse_experiment(text, file.string());
}

}  // namespace flyball
