#include "findings/published_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "boards/board_file.h"

namespace flyball {
namespace {

constexpr std::array<std::pair<const char*, FindingCheckKind>, 6> kinds = {
    {{"change", FindingCheckKind::change},
     {"level", FindingCheckKind::level},
     {"between", FindingCheckKind::between},
     {"front", FindingCheckKind::front},
     {"range", FindingCheckKind::range},
     {"fits", FindingCheckKind::fits}}};

class Reader {
 public:
  explicit Reader(const BoardFile& file) : file_(file) {}

  Result<PublishedStudy> study() {
    const toml::table& document = file_.document();
    study_.title = document["title"].value_or(std::string());
    FLYBALL_CHECK(read_modes());
    if (const toml::table* boards = document["boards"].as_table())
      for (const auto& [name, node] : *boards) {
        const toml::node_view usual(node);
        study_.boards[std::string(name.str())] = {usual["mode"].value_or(std::string()),
                                                  usual["storage"].value_or(std::string())};
      }
    const toml::array* findings = document["finding"].as_array();
    if (!findings) return file_.at(document.source(), "there is no [[finding]]");
    for (const toml::node& node : *findings) {
      const toml::table* table = node.as_table();
      if (!table) return file_.at(node.source(), "[[finding]] is no table");
      FLYBALL_CHECK(read_finding(*table));
    }
    return std::move(study_);
  }

 private:
  Status read_modes() {
    static const char* const axes[] = {axis::cpu_cores, axis::cpu_mhz, axis::gpu_mhz,
                                       axis::mem_mhz};
    const toml::table* modes = file_.document()["modes"].as_table();
    if (!modes) return {};
    for (const auto& [name, node] : *modes) {
      const toml::array* values = node.as_array();
      if (!values || (!values->empty() && values->size() != 4))
        return file_.at(node.source(),
                        "a mode is [cores, CPU, GPU, memory], or [] for the highest");
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
    FLYBALL_CHECK(only(table, {"id", "name", "section", "says", "use", "own_boards", "change",
                               "level", "between", "front", "range", "fits"}));
    if (finding.id.empty() || finding.name.empty() || finding.says.empty() ||
        (use != "held" && use != "calibrated"))
      return file_.at(table.source(),
                      "a finding needs id, name, says, and use = held or calibrated");
    if (finding.id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") != std::string::npos)
      return file_.at(table.source(), fmt::format("the id '{}' has other signs than small letters, "
                                                  "digits and '-'",
                                                  finding.id));
    finding.held = use == "held";
    finding.own_boards = table["own_boards"].value_or(false);
    for (const auto& [name, kind] : kinds) {
      const toml::array* checks = table[name].as_array();
      for (size_t i = 0; checks && i < checks->size(); ++i) {
        const toml::table* check = (*checks)[i].as_table();
        if (!check) return file_.at(table.source(), fmt::format("{} is no list of tables", name));
        FLYBALL_ASSIGN(FindingCheck one, read_check(*check, kind));
        finding.checks.push_back(std::move(one));
      }
    }
    if (finding.checks.empty())
      return file_.at(table.source(), fmt::format("'{}' has nothing to check", finding.id));
    study_.findings.push_back(std::move(finding));
    return {};
  }

  Status only(const toml::table& table, const std::set<std::string>& known) const {
    for (const auto& [key, node] : table)
      if (!known.contains(std::string(key.str())))
        return file_.at(node.source(), fmt::format("unknown key '{}'", key.str()));
    return {};
  }

  Result<FindingCheck> read_check(const toml::table& table, FindingCheckKind kind) const {
    static const std::set<std::string> known = {"board", "workload",  "figure", "from", "to",
                                                "at",    "published", "spread", "sign", "most",
                                                "modes", "on",        "off",    "among"};
    FLYBALL_CHECK(only(table, known));
    FindingCheck check;
    check.kind = kind;
    check.figure = table["figure"].value_or(std::string());
    check.spread_pct = table["spread"].value_or(0.0);
    check.sign_counts = table["sign"].value_or(false);
    check.at_most = table["most"].value_or(false);
    check.modes = table["modes"].value_or(std::string());
    check.on = table["on"].value_or(std::string());
    check.off = table["off"].value_or(std::string());
    const bool has_figure = kind != FindingCheckKind::front && kind != FindingCheckKind::fits;
    if (has_figure && std::ranges::find(finding_figures(), check.figure) == finding_figures().end())
      return file_.at(table.source(), fmt::format("there is no figure '{}'", check.figure));
    FLYBALL_ASSIGN(check.from, setting(table, table.contains("at") ? "at" : "from"));
    check.to = check.from;
    if (table.contains("to")) {
      FLYBALL_ASSIGN(check.to, setting(table, "to"));
    }
    FLYBALL_CHECK(read_published(table, check));
    return check;
  }

  static std::vector<std::string> texts(const toml::node_view<const toml::node>& list) {
    std::vector<std::string> found;
    if (const toml::array* all = list.as_array())
      for (const toml::node& one : *all) found.push_back(one.value_or(std::string()));
    return found;
  }

  Status read_published(const toml::table& table, FindingCheck& check) const {
    const toml::node_view published = table["published"];
    const Error missing = file_.at(table.source(), "'published' is missing, or of another kind");
    switch (check.kind) {
      case FindingCheckKind::front:
        check.front = published.value_or(std::string());
        if (check.on.empty() && check.off.empty())
          return file_.at(table.source(), "a front is judged by 'on' and 'off'");
        return check.front.empty() || check.modes.empty() ? Status(missing) : Status();
      case FindingCheckKind::fits:
        check.boards = texts(published);
        check.among = texts(table["among"]);
        if (check.among.empty())
          return file_.at(table.source(), "what fits is asked 'among' several boards");
        return check.boards.empty() ? Status(missing) : Status();
      case FindingCheckKind::level:
      case FindingCheckKind::range:
        check.published_from = published.value_or(-1.0);
        return check.published_from < 0 ? Status(missing) : Status();
      default:
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
      FLYBALL_CHECK(only(*table, {"board", "workload", "mode", "storage", "workers", "batch",
                                  "epoch", "dropped", "governors", "state"}));
    const auto text = [&](const char* key) {
      return own[key].value_or(check[key].value_or(std::string()));
    };
    setting.board = text("board");
    setting.workload = text("workload");
    const auto known = study_.boards.find(setting.board);
    const auto usual =
        known == study_.boards.end() ? std::pair<std::string, std::string>() : known->second;
    setting.mode = own["mode"].value_or(usual.first);
    setting.storage = own["storage"].value_or(usual.second);
    setting.workers = own["workers"].value_or(4.0);
    setting.batch = own["batch"].value_or(16.0);
    setting.first = own["epoch"].value_or(std::string()) == "first";
    setting.dropped = own["dropped"].value_or(false);
    setting.governors = own["governors"].value_or(false);
    setting.state = own["state"].value_or(std::string());
    const std::string epoch = own["epoch"].value_or(std::string());
    static const std::set<std::string> states = {"", "logging", "pinned", "free", "suspended"};
    if (!states.contains(setting.state) || (!epoch.empty() && epoch != "first"))
      return file_.at(check.source(), "there is no such epoch or state");
    // A front, a range and what fits name modes and boards of their own.
    const bool own_modes = check.contains("modes") || setting.board.empty();
    if (!study_.modes.contains(setting.mode) && !(own_modes && setting.mode.empty()))
      return file_.at(check.source(), fmt::format("there is no mode '{}'", setting.mode));
    return setting;
  }

  const BoardFile& file_;
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

Result<PublishedStudy> parse_study(const std::string& text, const std::string& name) {
  FLYBALL_ASSIGN(const BoardFile file, BoardFile::parse(text, name, "study.md"));
  FLYBALL_ASSIGN(PublishedStudy study, Reader(file).study());
  study.id = std::filesystem::path(name).stem().string();
  return study;
}

}  // namespace flyball
