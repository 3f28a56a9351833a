#include "findings/published_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include "boards/toml_reader.h"
#include "compare/published_epochs.h"

namespace flyball {
namespace {

constexpr std::array<std::pair<const char*, FindingCheckKind>, 7> kinds = {
    {{"change", FindingCheckKind::change},
     {"level", FindingCheckKind::level},
     {"between", FindingCheckKind::between},
     {"front", FindingCheckKind::front},
     {"range", FindingCheckKind::range},
     {"fits", FindingCheckKind::fits},
     {"table", FindingCheckKind::table}}};

class StudyReader : public TomlReader {
 public:
  using TomlReader::TomlReader;

  Result<PublishedStudy> study(const toml::table& document) {
    study_.title = document["title"].value_or(std::string());
    FLYBALL_CHECK(read_modes(document));
    if (const toml::table* boards = document["boards"].as_table())
      for (const auto& [name, node] : *boards) {
        const toml::node_view usual(node);
        study_.boards[std::string(name.str())] = {
            .mode = usual["mode"].value_or(std::string()),
            .storage = usual["storage"].value_or(std::string()),
            .moves = usual["moves"].value_or(false)};
      }
    const toml::array* findings = document["finding"].as_array();
    if (!findings) return at(document, "there is no [[finding]]");
    for (const toml::node& node : *findings) {
      const toml::table* table = node.as_table();
      if (!table) return at(node, "[[finding]] is no table");
      FLYBALL_CHECK(read_finding(*table));
    }
    return std::move(study_);
  }

 private:
  Status read_modes(const toml::table& document) {
    static const char* const axes[] = {axis::cpu_cores, axis::cpu_mhz, axis::gpu_mhz,
                                       axis::mem_mhz};
    const toml::table* modes = document["modes"].as_table();
    if (!modes) return {};
    for (const auto& [name, node] : *modes) {
      const toml::array* values = node.as_array();
      if (!values || (!values->empty() && values->size() != 4))
        return at(node, "a mode is [cores, CPU, GPU, memory], or [] for the highest");
      PowerMode& mode = study_.modes[std::string(name.str())];
      for (size_t i = 0; i < values->size(); ++i) mode.values[axes[i]] = (*values)[i].value_or(0.0);
    }
    return {};
  }

  Status read_finding(const toml::table& table) {
    PublishedFinding finding;
    finding.id = table["id"].value_or(std::string());
    finding.name = table["name"].value_or(std::string());
    finding.section = table["section"].value_or(std::string());
    finding.says = table["says"].value_or(std::string());
    const std::string use = table["use"].value_or(std::string());
    FLYBALL_CHECK(only(table, " in [[finding]]",
                       {"id", "name", "section", "says", "use", "own_boards", "change", "level",
                        "between", "front", "range", "fits", "table"}));
    if (finding.id.empty() || finding.name.empty() || finding.says.empty() ||
        (use != "held" && use != "calibrated"))
      return at(table, "a finding needs id, name, says, and use = held or calibrated");
    if (finding.id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") != std::string::npos)
      return at(table, fmt::format("the id '{}' has other signs than small letters, "
                                   "digits and '-'",
                                   finding.id));
    finding.held = use == "held";
    finding.own_boards = table["own_boards"].value_or(false);
    for (const auto& [name, kind] : kinds) {
      const toml::array* checks = table[name].as_array();
      for (size_t i = 0; checks && i < checks->size(); ++i) {
        const toml::table* check = (*checks)[i].as_table();
        if (!check) return at(table, fmt::format("{} is no list of tables", name));
        FLYBALL_ASSIGN(FindingCheck one, read_check(*check, kind));
        finding.checks.push_back(std::move(one));
      }
    }
    if (finding.checks.empty())
      return at(table, fmt::format("'{}' has nothing to check", finding.id));
    if (std::ranges::find(study_.findings, finding.id, &PublishedFinding::id) !=
        study_.findings.end())
      return at(table, fmt::format("there are two findings '{}'", finding.id));
    study_.findings.push_back(std::move(finding));
    return {};
  }

  Result<FindingCheck> read_check(const toml::table& table, FindingCheckKind kind) const {
    FLYBALL_CHECK(only(table, "",
                       {"board",
                        "workload",
                        "figure",
                        "from",
                        "to",
                        "at",
                        "published",
                        "spread",
                        "sign",
                        "most",
                        "modes",
                        "on",
                        "off",
                        "among",
                        "phase",
                        "reference",
                        "reference_board",
                        "profiled",
                        "strategy",
                        "least"}));
    FindingCheck check;
    check.kind = kind;
    check.figure = table["figure"].value_or(std::string());
    check.spread_pct = table["spread"].value_or(0.0);
    check.sign_counts = table["sign"].value_or(false);
    check.at_most = table["most"].value_or(false);
    check.at_least = table["least"].value_or(false);
    check.modes = table["modes"].value_or(std::string());
    check.on = table["on"].value_or(std::string());
    check.off = table["off"].value_or(std::string());
    if (kind == FindingCheckKind::table) FLYBALL_CHECK(read_question(table, check));
    const bool has_figure = kind != FindingCheckKind::table && kind != FindingCheckKind::front &&
                            kind != FindingCheckKind::fits;
    if (has_figure && std::ranges::find(finding_figures(), check.figure) == finding_figures().end())
      return at(table, fmt::format("there is no figure '{}'", check.figure));
    FLYBALL_ASSIGN(check.from, setting(table, table.contains("at") ? "at" : "from"));
    check.to = check.from;
    if (table.contains("to")) {
      FLYBALL_ASSIGN(check.to, setting(table, "to"));
    }
    FLYBALL_CHECK(read_published(table, check));
    return check;
  }

  /// Epochs that stand published beside each other are kept once, in compare/published.toml.
  Status read_epochs(const toml::table& table, FindingCheck& check) const {
    FLYBALL_ASSIGN(const PublishedEpochs known, known_published_epochs());
    const auto seconds = [&](const FindingSetting& at) {
      const PublishedEpoch* epoch = known.find(at.board, at.workload);
      return epoch ? epoch->seconds.value_or(-1) : -1;
    };
    check.published_from = seconds(check.from);
    check.published_to = seconds(check.to);
    if (check.published_from > 0 && check.published_to > 0) return {};
    return at(table, "there are no such published epochs");
  }

  Status read_question(const toml::table& table, FindingCheck& check) const {
    const auto text = [&](const char* key) { return table[key].value_or(std::string()); };
    if (std::ranges::find(table_figures(), check.figure) == table_figures().end())
      return at(table, fmt::format("tables have no figure '{}'", check.figure));
    TableQuestion& asked = check.table;
    asked.figure = check.figure;
    asked.workload = text("workload");
    FLYBALL_ASSIGN(asked.phase, parse_phase(table["phase"].value_or(std::string("train"))));
    asked.batch = table["at"]["batch"].value_or(0.0);
    asked.reference = text("reference");
    asked.reference_board = text("reference_board");
    asked.profiled = static_cast<size_t>(table["profiled"].value_or(int64_t{0}));
    asked.strategy = text("strategy");
    static const std::set<std::string> searched = {"profiles", "solved_pct", "excess_pct"};
    if (searched.contains(check.figure) == asked.strategy.empty())
      return at(table, fmt::format("'{}' is {}of a strategy", check.figure,
                                   asked.strategy.empty() ? "" : "not "));
    return {};
  }

  static std::vector<std::string> texts(const toml::node_view<const toml::node>& list) {
    std::vector<std::string> found;
    if (const toml::array* all = list.as_array())
      for (const toml::node& one : *all) found.push_back(one.value_or(std::string()));
    return found;
  }

  Status read_published(const toml::table& table, FindingCheck& check) const {
    const toml::node_view published = table["published"];
    const Error missing = at(table, "'published' is missing, or of another kind");
    switch (check.kind) {
      case FindingCheckKind::front:
        check.front = published.value_or(std::string());
        if (check.on.empty() && check.off.empty())
          return at(table, "a front is judged by 'on' and 'off'");
        return check.front.empty() || check.modes.empty() ? Status(missing) : Status();
      case FindingCheckKind::fits:
        check.boards = texts(published);
        check.among = texts(table["among"]);
        if (check.among.empty()) return at(table, "what fits is asked 'among' several boards");
        return check.boards.empty() ? Status(missing) : Status();
      case FindingCheckKind::level:
      case FindingCheckKind::range:
      case FindingCheckKind::table:
        check.published_from = published.value_or(-1.0);
        return check.published_from < 0 ? Status(missing) : Status();
      default:
        if (published.value_or(std::string()) == "epochs") return read_epochs(table, check);
        check.published_from = published[0].value_or(-1.0);
        check.published_to = published[1].value_or(-1.0);
        return check.published_from > 0 && check.published_to > 0 ? Status() : Status(missing);
    }
  }

  /// The setting `part` of a check: what it does not say is the check's, then the board's.
  Result<FindingSetting> setting(const toml::table& check, const char* part) const {
    FindingSetting setting;
    const toml::node_view own = check[part];
    if (const toml::table* table = own.as_table())
      FLYBALL_CHECK(only(*table, "",
                         {"board", "workload", "mode", "storage", "workers", "batch", "epoch",
                          "dropped", "governors", "state"}));
    const auto text = [&](const char* key) {
      return own[key].value_or(check[key].value_or(std::string()));
    };
    setting.board = text("board");
    setting.workload = text("workload");
    const auto known = study_.boards.find(setting.board);
    const UsualSetting usual = known == study_.boards.end() ? UsualSetting() : known->second;
    setting.mode = own["mode"].value_or(usual.mode);
    setting.storage = own["storage"].value_or(usual.storage);
    setting.workers = own["workers"].value_or(setting.workers);
    setting.batch = own["batch"].value_or(setting.batch);
    setting.first = own["epoch"].value_or(std::string()) == "first";
    setting.dropped = own["dropped"].value_or(false);
    setting.governors = own["governors"].value_or(false);
    setting.state = own["state"].value_or(std::string());
    const std::string epoch = own["epoch"].value_or(std::string());
    static const std::set<std::string> states = {"", "logging", "pinned", "free", "suspended"};
    if (!states.contains(setting.state) || (!epoch.empty() && epoch != "first"))
      return at(check, "there is no such epoch or state");
    // A front, a range and what fits name modes and boards of their own.
    const bool own_modes = check.contains("modes") || setting.board.empty();
    if (!study_.modes.contains(setting.mode) && !(own_modes && setting.mode.empty()))
      return at(check, fmt::format("there is no mode '{}'", setting.mode));
    return setting;
  }

  PublishedStudy study_;
};

}  // namespace

const std::vector<std::string>& finding_figures() {
  static const std::vector<std::string> names = {
      "stall_s", "compute_s", "e2e_s",      "stall_ms", "compute_ms", "stall_pct",     "energy_mwh",
      "power_w", "base_pct",  "cached_pct", "gpu_pct",  "gpu_mhz",    "cpu_below_pct", "plug_w"};
  return names;
}

std::vector<std::string> FindingCheck::asked_of() const {
  if (kind == FindingCheckKind::fits) return among;
  if (from.board == to.board) return {from.board};
  return {from.board, to.board};
}

const std::vector<std::string>& table_figures() {
  static const std::vector<std::string> names = {"time_mape_pct",   "power_mape_pct", "profiles",
                                                 "solved_pct",      "excess_pct",     "saving_pct",
                                                 "near_saving_pct", "balance_pct"};
  return names;
}

Result<PublishedStudy> parse_study(const std::string& text, const std::string& name) {
  StudyReader reader(name, "study.md");
  FLYBALL_ASSIGN(const toml::table document, reader.parse(text));
  FLYBALL_ASSIGN(PublishedStudy study, reader.study(document));
  study.id = std::filesystem::path(name).stem().string();
  return study;
}

}  // namespace flyball
