#include "campaign/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/files.h"
#include "base/parallel.h"
#include "base/text.h"
#include "boards/toml_reader.h"
#include "device/registry/board.h"
#include "sql/database.h"
#include "sql/postgres_place.h"

namespace flyball {
namespace {

constexpr size_t most_entries = 10000, most_words = 64, most_name = 64;
constexpr size_t file_limit = size_t{4} << 20;

constexpr auto executors = {CampaignExecutor::local, CampaignExecutor::slurm,
                            CampaignExecutor::ssh};

bool is_name(const std::string& text) {
  const auto fits = [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '_'; };
  return !text.empty() && text.size() <= most_name && text[0] != '-' &&
         std::ranges::all_of(text, fits);
}

class CampaignReader : public TomlReader {
 public:
  using TomlReader::TomlReader;

  /// That may be shown and be part of a command.
  Result<std::string> text(const toml::table& table, const char* key,
                           const std::string& otherwise = "") const {
    FLYBALL_ASSIGN(std::string value, TomlReader::text(table, key, otherwise));
    if (const toml::node* node = table.get(key))
      if (const std::string fault = text_fault(value); !fault.empty())
        return at(*node, fmt::format("{} {}", key, fault), "write plain text");
    return value;
  }

  Result<bool> flag(const toml::table& table, const char* key) const {
    const toml::node* node = table.get(key);
    if (!node) return false;
    if (const auto value = node->value_exact<bool>()) return *value;
    return at(*node, fmt::format("{} is neither true nor false", key));
  }

  /// A text, taken apart at its blanks, or a list of texts.
  Result<CommandWords> words(const toml::table& table, const char* key) const {
    const toml::node* node = table.get(key);
    CommandWords list;
    if (!node) return list;
    if (const toml::array* array = node->as_array()) {
      for (const toml::node& item : *array) {
        const auto word = item.value_exact<std::string>();
        if (!word || word->empty() || !text_fault(*word).empty())
          return at(item, fmt::format("a word of {} is no plain text", key), "write it in quotes");
        list.push_back(*word);
      }
    } else {
      FLYBALL_ASSIGN(const std::string all, text(table, key));
      for (const std::string& word : split(all, ' '))
        if (!word.empty()) list.push_back(word);
    }
    if (list.size() > most_words)
      return at(*node, fmt::format("{} has more than {} words", key, most_words));
    return list;
  }

  Result<std::string> name(const toml::table& table, const char* what) const {
    FLYBALL_ASSIGN(const std::string found, text(table, "name"));
    if (is_name(found)) return found;
    const toml::node* node = table.get("name");
    return at(node ? *node : table,
              node ? fmt::format("'{}' is no name of a {}", found, what)
                   : fmt::format("a {} has no name", what),
              fmt::format("letters, digits, - and _, at most {}, no - in front{}", most_name,
                          found_number(node) ? "; count adds the number by itself: nano-1" : ""));
  }

  static bool found_number(const toml::node* node) {
    return node && node->value_or(std::string()).find("{n}") != std::string::npos;
  }

  /// The list of tables below `key`; null where there is none.
  Result<const toml::array*> list(const toml::table& document, const char* key) const {
    const toml::node* node = document.get(key);
    if (!node) return static_cast<const toml::array*>(nullptr);
    const toml::array* array = node->as_array();
    if (!array || array->empty() || array->size() > most_entries)
      return at(*node, fmt::format("{} is no list of 1 to {} tables", key, most_entries),
                fmt::format("write [[{}]] for each", key));
    for (const toml::node& item : *array)
      if (!item.is_table())
        return at(item, fmt::format("an entry of {} is no table", key),
                  fmt::format("write [[{}]] for each", key));
    return array;
  }

  template <class T>
  Status add(const toml::node& node, std::vector<T>& all, T entry) const {
    if (std::ranges::find(all, entry.name, &T::name) != all.end())
      return at(node, fmt::format("two are called '{}'", entry.name), "rename one of them");
    if (all.size() >= most_entries)
      return at(node, fmt::format("there are more than {}", most_entries));
    all.push_back(std::move(entry));
    return {};
  }

  Status board(const toml::table& table, Campaign& campaign) const {
    FLYBALL_CHECK(
        only(table, " in [[boards]]",
             {"name", "count", "device", "kind", "twin", "constraint", "node", "host", "program"}));
    FLYBALL_ASSIGN(const std::string named, name(table, "board"));
    FLYBALL_ASSIGN(const int count, number<int>(table, "count", 0, 1, most_entries));
    FLYBALL_CHECK(distinct(table, count));
    for (int n = count > 0 ? 1 : 0; n <= count; ++n) {
      CampaignBoard board;
      board.name = n > 0 ? fmt::format("{}-{}", named, n) : named;
      const auto numbered = [&](const char* key) -> Result<std::string> {
        FLYBALL_ASSIGN(std::string value, text(table, key));
        if (const size_t place = value.find("{n}"); place != std::string::npos && n > 0)
          value.replace(place, 3, std::to_string(n));
        return value;
      };
      FLYBALL_ASSIGN(board.device, numbered("device"));
      FLYBALL_ASSIGN(board.host, numbered("host"));
      FLYBALL_ASSIGN(board.constraint, numbered("constraint"));
      FLYBALL_ASSIGN(board.node, numbered("node"));
      FLYBALL_ASSIGN(board.kind, text(table, "kind"));
      FLYBALL_ASSIGN(board.twin, text(table, "twin"));
      FLYBALL_ASSIGN(board.program, text(table, "program"));
      FLYBALL_CHECK(settle(table, named, board));
      FLYBALL_CHECK(add(table, campaign.boards, std::move(board)));
    }
    return {};
  }

  // Several boards must differ in what they are, not in their names alone.
  Status distinct(const toml::table& table, int count) const {
    if (count <= 1) return {};
    for (const char* key : {"device", "host", "constraint", "node"}) {
      const toml::node* node = table.get(key);
      if (node && node->value_or(std::string()).find("{n}") != std::string::npos) return {};
    }
    return at(*table.get("count"), fmt::format("its {} boards would be one and the same", count),
              "write {n} in its device, host, node or constraint, as in device = "
              "\"twin:orin_nano@{n}\"");
  }

  // What follows from the others, and what cannot be.
  Status settle(const toml::table& table, const std::string& named, CampaignBoard& board) const {
    const auto device = parse_board(board.device);
    if (!device) return at(*table.get("device"), device.error());
    board.simulated =
        device->kind == BoardName::Kind::twin || device->kind == BoardName::Kind::table;
    if (board.kind.empty())
      board.kind = device->kind == BoardName::Kind::twin
                       ? device->argument.substr(0, device->argument.find('@'))
                       : named;
    for (const char* key : {"constraint", "node", "kind", "twin"}) {
      const toml::node* node = table.get(key);
      const std::string value = node ? node->value_or(std::string()) : "";
      if (node && (value.empty() || value[0] == '-'))
        return at(*node, fmt::format("'{}' is no {}", value, key), "begin it with a letter");
    }
    if (board.host.empty()) return {};
    const Status host = check_host(board.host);
    return host.ok() ? host : Status(at(*table.get("host"), host.error()));
  }

  Status workload(const toml::table& table, Campaign& campaign) const {
    FLYBALL_CHECK(only(table, " in [[workloads]]", {"name", "words", "program"}));
    CampaignWorkload workload;
    FLYBALL_ASSIGN(workload.name, name(table, "workload"));
    FLYBALL_ASSIGN(workload.words, words(table, "words"));
    FLYBALL_ASSIGN(workload.program, words(table, "program"));
    if (workload.words.empty() && workload.program.empty()) workload.words = {workload.name};
    return add(table, campaign.workloads, std::move(workload));
  }

  Status check_options(const toml::table& table, const CommandWords& options) const {
    for (const std::string& option : options)
      for (const char* ours : {"--store", "--no-store", "--json", "--device", "--dry-run", "--"})
        if (option == ours || option.starts_with(std::string(ours) + "="))
          return at(*table.get("options"), fmt::format("{} is the campaign's own", ours),
                    "leave it out: each cell has a board, a store and an answer of its own");
    return {};
  }

  Status question(const toml::table& table, Campaign& campaign) const {
    FLYBALL_CHECK(only(table, " in [[questions]]",
                       {"name", "ask", "options", "boards", "workloads", "budgets"}));
    CampaignQuestion question;
    FLYBALL_ASSIGN(question.name, name(table, "question"));
    FLYBALL_ASSIGN(const std::string ask, text(table, "ask", question.name));
    const auto& known = asked_commands();
    const auto found = std::ranges::find(known, ask, &AskedCommand::words);
    if (found == known.end()) {
      CommandWords names;
      for (const AskedCommand& command : known) names.push_back(command.words);
      return at(*table.get(table.contains("ask") ? "ask" : "name"),
                fmt::format("'{}' is no question", ask), "ask = one of: " + join(names, ", "));
    }
    question.ask = &*found;
    FLYBALL_ASSIGN(question.options, words(table, "options"));
    FLYBALL_ASSIGN(question.boards, words(table, "boards"));
    FLYBALL_ASSIGN(question.workloads, words(table, "workloads"));
    FLYBALL_ASSIGN(question.budgets, words(table, "budgets"));
    FLYBALL_CHECK(check_options(table, question.options));
    return add(table, campaign.questions, std::move(question));
  }

  Status budget(const toml::table& table, Campaign& campaign) const {
    FLYBALL_CHECK(only(table, " in [[budgets]]", {"name", "options"}));
    CampaignBudget budget;
    FLYBALL_ASSIGN(budget.name, name(table, "budget"));
    FLYBALL_ASSIGN(budget.options, words(table, "options"));
    FLYBALL_CHECK(check_options(table, budget.options));
    return add(table, campaign.budgets, std::move(budget));
  }

  using Entry = Status (CampaignReader::*)(const toml::table&, Campaign&) const;
  Status entries(const toml::table& document, const char* key, Entry read,
                 Campaign& campaign) const {
    FLYBALL_ASSIGN(const toml::array* all, list(document, key));
    if (!all) return {};
    for (const toml::node& item : *all) FLYBALL_CHECK((this->*read)(*item.as_table(), campaign));
    return {};
  }

  Status slurm(const toml::table& table, SlurmSettings& slurm) const {
    FLYBALL_CHECK(only(table, " in [slurm]", {"time", "warn_s", "partition", "options"}));
    FLYBALL_ASSIGN(slurm.time, text(table, "time"));
    FLYBALL_ASSIGN(slurm.partition, text(table, "partition"));
    FLYBALL_ASSIGN(slurm.warn_s, number<int>(table, "warn_s", 60, 1, 65535));
    FLYBALL_ASSIGN(slurm.options, words(table, "options"));
    const auto limit = [](unsigned char c) { return std::isdigit(c) || c == ':' || c == '-'; };
    if (!std::ranges::all_of(slurm.time, limit) || slurm.time.starts_with('-'))
      return at(*table.get("time"), fmt::format("'{}' is no time limit", slurm.time),
                "minutes, or HOURS:MINUTES:SECONDS, or DAYS-HOURS, as sbatch --time takes it");
    return {};
  }

  Status travel(const toml::table& table, TravelSettings& references) const {
    FLYBALL_CHECK(only(table, " in [references]", {"travel", "profiles"}));
    FLYBALL_ASSIGN(references.travel, flag(table, "travel"));
    FLYBALL_ASSIGN(references.profiles, number<int>(table, "profiles", 3, 2, 1000));
    return {};
  }

  Result<const toml::table*> section(const toml::table& document, const char* key) const {
    static const toml::table nothing;
    FLYBALL_ASSIGN(const toml::table* found, table(document, key));
    return found ? found : &nothing;
  }

  // Each name that a question restricts itself to is there.
  template <class T>
  Status named(const toml::table& table, const char* key, const CommandWords& words,
               const std::vector<T>& all) const {
    for (const std::string& word : words)
      if (std::ranges::find(all, word, &T::name) == all.end())
        return at(*table.get(key), fmt::format("no entry of {} is called '{}'", key, word));
    return {};
  }

  Status check(const toml::table& document, const Campaign& campaign) const {
    if (campaign.boards.empty())
      return at(document, "there are no boards", "write [[boards]] with a name and a device");
    if (campaign.questions.empty())
      return at(document, "there are no questions", "write [[questions]] with name = \"tune\"");
    const toml::array& asked = *document.get("questions")->as_array();
    for (size_t i = 0; i < campaign.questions.size(); ++i) {
      const CampaignQuestion& question = campaign.questions[i];
      const toml::table& table = *asked[i].as_table();
      FLYBALL_CHECK(named(table, "boards", question.boards, campaign.boards));
      FLYBALL_CHECK(named(table, "workloads", question.workloads, campaign.workloads));
      FLYBALL_CHECK(named(table, "budgets", question.budgets, campaign.budgets));
    }
    const Status runs = check_executor(campaign);
    return runs.ok() ? runs : Status(at(document, runs.error()));
  }

  Result<Campaign> document(const toml::table& document) const {
    Campaign campaign;
    FLYBALL_CHECK(only(
        document, "",
        {"title", "executor", "parallel", "collect", "cool_down_s", "start_below_c", "stop_above_c",
         "boards", "workloads", "questions", "budgets", "slurm", "ssh", "references"}));
    FLYBALL_ASSIGN(campaign.title, text(document, "title"));
    FLYBALL_ASSIGN(const std::string named, text(document, "executor", "local"));
    const auto executor = parse_executor(named);
    if (!executor) return at(*document.get("executor"), executor.error());
    campaign.executor = *executor;
    const size_t usual = campaign.executor == CampaignExecutor::local ? usable_cores() : 16;
    FLYBALL_ASSIGN(campaign.parallel, number<size_t>(document, "parallel", usual, 1, 4096));
    FLYBALL_ASSIGN(campaign.collect, text(document, "collect"));
    FLYBALL_ASSIGN(campaign.cool_down_s, number(document, "cool_down_s", 0, 0, 86400));
    FLYBALL_ASSIGN(campaign.start_below_c, number(document, "start_below_c", 0, 0, 120));
    FLYBALL_ASSIGN(campaign.stop_above_c, number(document, "stop_above_c", 0, 0, 120));
    if (campaign.stop_above_c > 0 &&
        (campaign.start_below_c <= 0 || campaign.start_below_c >= campaign.stop_above_c))
      return at(*document.get("stop_above_c"),
                "stop_above_c needs a lower start_below_c, at which a stopped cell goes on",
                "write start_below_c = 60 beside stop_above_c = 85, say");
    FLYBALL_CHECK(entries(document, "boards", &CampaignReader::board, campaign));
    FLYBALL_CHECK(entries(document, "workloads", &CampaignReader::workload, campaign));
    FLYBALL_CHECK(entries(document, "questions", &CampaignReader::question, campaign));
    FLYBALL_CHECK(entries(document, "budgets", &CampaignReader::budget, campaign));
    FLYBALL_ASSIGN(const toml::table* slurm_table, section(document, "slurm"));
    FLYBALL_CHECK(slurm(*slurm_table, campaign.slurm));
    FLYBALL_ASSIGN(const toml::table* ssh_table, section(document, "ssh"));
    FLYBALL_CHECK(only(*ssh_table, " in [ssh]", {"options"}));
    FLYBALL_ASSIGN(campaign.ssh.options, words(*ssh_table, "options"));
    FLYBALL_ASSIGN(const toml::table* travel_table, section(document, "references"));
    FLYBALL_CHECK(travel(*travel_table, campaign.references));
    FLYBALL_CHECK(check(document, campaign));
    return campaign;
  }
};

}  // namespace

const char* executor_name(CampaignExecutor executor) {
  switch (executor) {
    case CampaignExecutor::local:
      return "local";
    case CampaignExecutor::slurm:
      return "slurm";
    case CampaignExecutor::ssh:
      return "ssh";
  }
  return "";
}

Result<CampaignExecutor> parse_executor(const std::string& text) {
  for (const CampaignExecutor executor : executors)
    if (text == executor_name(executor)) return executor;
  return Error{Code::invalid_argument, fmt::format("there is no executor '{}'", text),
               "one of: local, slurm, ssh"};
}

const std::vector<AskedCommand>& asked_commands() {
  static const std::vector<AskedCommand> commands = {
      {.words = "tune", .keeps = true, .dry_runs = true, .references = true, .limits = true},
      {.words = "plan", .keeps = true, .dry_runs = true, .limits = true},
      {.words = "profile"},
      {.words = "experiment run", .keeps = true, .dry_runs = true, .of_real = true},
      {.words = "experiment findings", .keeps = true, .dry_runs = true, .of_real = true},
      {.words = "experiment benchmark", .then = "run", .results = true},
  };
  return commands;
}

Status check_executor(const Campaign& campaign) {
  if (campaign.executor != CampaignExecutor::ssh) return {};
  if (campaign.start_below_c > 0 || campaign.stop_above_c > 0)
    return Error{
        Code::invalid_argument,
        "start_below_c and stop_above_c are for boards whose sensors the cell reads itself",
        "with executor \"ssh\" write cool_down_s"};
  for (const CampaignBoard& board : campaign.boards)
    if (board.host.empty())
      return Error{Code::invalid_argument, fmt::format("board {} has no host", board.name),
                   "write host = \"USER@HOST\" in its [[boards]], which executor \"ssh\" asks"};
  return {};
}

Status check_host(const std::string& host) {
  const size_t sign = host.find('@');
  const std::string user = sign == std::string::npos ? "" : host.substr(0, sign);
  const std::string name = sign == std::string::npos ? host : host.substr(sign + 1);
  const auto plain = [](unsigned char c) {
    return std::isalnum(c) || c == '.' || c == '-' || c == '_' || c == ':' || c == '%';
  };
  const bool fits = !name.empty() && name.size() <= 255 && name[0] != '-' &&
                    std::ranges::all_of(name, plain) &&
                    (sign == std::string::npos || (!user.empty() && user[0] != '-')) &&
                    std::ranges::all_of(user, plain);
  if (fits) return {};
  return Error{Code::invalid_argument, fmt::format("'{}' is no host", host),
               "[USER@]HOST of letters, digits, '.', '-' and '_', as ssh takes it; ports and keys "
               "belong into ~/.ssh/config"};
}

Result<Campaign> parse_campaign(std::string_view text, const std::filesystem::path& file) {
  const CampaignReader reader(file.string(), "how-to/many-boards.md");
  FLYBALL_ASSIGN(const toml::table document, reader.parse(text));
  FLYBALL_ASSIGN(Campaign campaign, reader.document(document));
  if (names_postgres(campaign.collect))
    if (const Status place = check_postgres_place(campaign.collect); !place.ok())
      if (place.error().code == Code::invalid_argument)
        return reader.at(*document.get("collect"), place.error());
  std::error_code ignored;
  const std::filesystem::path whole = std::filesystem::absolute(file, ignored);
  campaign.file =
      std::filesystem::weakly_canonical(whole.parent_path(), ignored) / whole.filename();
  if (!campaign.collect.empty() && !names_postgres(campaign.collect))
    campaign.collect = (campaign.file.parent_path() / campaign.collect).string();
  return campaign;
}

Result<Campaign> read_campaign(const std::filesystem::path& file) {
  FLYBALL_ASSIGN(const std::string text, read_file(file, file_limit));
  return parse_campaign(text, file);
}

}  // namespace flyball
