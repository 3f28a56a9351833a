#include "campaign/campaign.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "base/os/temp_folder.h"
#include "base/text.h"
#include "campaign/cell_state.h"
#include "campaign/cells.h"
#include "campaign/report.h"
#include "sql/database.h"
#include "sql/postgres_place.h"

namespace flyball {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* small = R"(title = "small"
parallel = 2
[[boards]]
name = "nano"
count = 2
device = "twin:orin_nano@{n}"
[[workloads]]
name = "resnet18"
[[workloads]]
name = "mine"
program = ["python3", "my train.py"]
[[questions]]
name = "tune"
options = "--profiles 10"
[[budgets]]
name = "10W"
options = "--power-budget 10W"
[[budgets]]
name = "free"
)";

Campaign parsed(const std::string& text) {
  auto campaign = parse_campaign(text, "c.toml");
  EXPECT_TRUE(campaign.ok()) << (campaign.ok() ? "" : campaign.error().message);
  return campaign.ok() ? *campaign : Campaign();
}

std::string complaint(const std::string& text) {
  const auto campaign = parse_campaign(text, "c.toml");
  if (!campaign) return campaign.error().message + " | " + campaign.error().hint;
  const auto cells = cells_of(*campaign);
  return cells ? "" : cells.error().message;
}

TEST(Campaign, IsBoardsByWorkloadsByQuestionsByBudgets) {
  const Campaign campaign = parsed(small);
  ASSERT_EQ(campaign.boards.size(), 2u);
  EXPECT_EQ(campaign.boards[1].name, "nano-2");
  EXPECT_EQ(campaign.boards[1].device, "twin:orin_nano@2");
  EXPECT_EQ(campaign.boards[1].kind, "orin_nano");
  EXPECT_TRUE(campaign.boards[1].simulated);
  const auto cells = cells_of(campaign);
  ASSERT_TRUE(cells.ok());
  ASSERT_EQ(cells->size(), 8u);
  EXPECT_EQ(cells->front().name, "nano-1.resnet18.tune.10W");
  EXPECT_THAT(cell_arguments(campaign, cells->front(), {.store = "s.db", .reference = ""}),
              ElementsAre("tune", "resnet18", "--device", "twin:orin_nano@1", "--profiles", "10",
                          "--power-budget", "10W", "--store", "s.db", "--json"));
  const CommandWords program =
      cell_arguments(campaign, cells->at(3), {.store = "s.db", .reference = ""});
  EXPECT_EQ(cells->at(3).name, "nano-1.mine.tune.free");
  EXPECT_EQ(shell_line(program),
            "tune --device twin:orin_nano@1 --profiles 10 --store s.db --json -- python3 'my "
            "train.py'");
}

TEST(Campaign, FaultsNameFileAndLine) {
  const std::string boards = "[[boards]]\nname = \"a\"\ndevice = \"twin:orin_nano\"\n";
  const std::string tune = "[[questions]]\nname = \"tune\"\n";
  EXPECT_THAT(complaint("title = 1\n"), StartsWith("c.toml:1: title is no text"));
  EXPECT_THAT(complaint("parallell = 2\n"), HasSubstr("did you mean 'parallel'?"));
  EXPECT_THAT(complaint("parallel = 0\n"), StartsWith("c.toml:1: parallel is out of range"));
  EXPECT_THAT(complaint("a = [\n"), StartsWith("c.toml:"));
  EXPECT_THAT(complaint(boards), HasSubstr("there are no questions"));
  EXPECT_THAT(complaint(tune), HasSubstr("there are no boards"));
  EXPECT_THAT(complaint(boards + boards + tune), StartsWith("c.toml:4: two are called 'a'"));
  EXPECT_THAT(complaint("[[boards]]\nname = \"-a\"\n"), HasSubstr("'-a' is no name of a board"));
  EXPECT_THAT(complaint("[[boards]]\nname = \"nano-{n}\"\n"),
              HasSubstr("count adds the number by itself"));
  EXPECT_THAT(complaint("[[boards]]\nname = \"a\"\ndevice = \"twn:x\"\n"),
              StartsWith("c.toml:3: there is no device 'twn'"));
  EXPECT_THAT(complaint(boards + "[[questions]]\nname = \"rm\"\n"),
              HasSubstr("'rm' is no question | ask = one of: tune, plan"));
  EXPECT_THAT(complaint(boards + tune + "options = \"--store x\"\n"),
              HasSubstr("--store is the campaign's own"));
  EXPECT_THAT(complaint(boards + tune + "boards = [\"b\"]\n"),
              StartsWith("c.toml:6: no entry of boards is called 'b'"));
  EXPECT_THAT(complaint("executor = \"ssh\"\n" + boards + tune), HasSubstr("board a has no host"));
  EXPECT_THAT(complaint("executor = \"k8s\"\n"), HasSubstr("one of: local, slurm, ssh"));
  EXPECT_THAT(complaint(boards + tune + "[slurm]\ntime = \"soon\"\n"),
              HasSubstr("'soon' is no time limit"));
  EXPECT_THAT(complaint("boards = [1]\n"), HasSubstr("an entry of boards is no table"));
  EXPECT_THAT(complaint("title = \"a\\u0007\"\n"), HasSubstr("title"));
}

TEST(Campaign, NamesOfACellMakeAFolder) {
  const std::string name(64, 'x');
  const std::string four = "[[boards]]\nname = \"" + name +
                           "\"\ndevice = \"twin:orin_nano\"\n[[workloads]]\nname = \"" + name +
                           "\"\n[[questions]]\nask = \"tune\"\nname = \"" + name +
                           "\"\n[[budgets]]\nname = \"" + name + "\"\n";
  EXPECT_THAT(complaint(four), HasSubstr("has more than 240 characters"));
}

// Before a cell runs, not after all have.
TEST(Campaign, WhereAllIsCollectedIsKnownFromItsFile) {
  const Campaign beside =
      *parse_campaign("collect = \"all.db\"\n" + std::string(small), "/w/c.toml");
  EXPECT_EQ(beside.collect, "/w/all.db");
  const Campaign server =
      *parse_campaign("collect = \"service=fleet\"\n" + std::string(small), "/w/c.toml");
  EXPECT_EQ(server.collect, "service=fleet");
  if (check_postgres_place("service=fleet").ok()) {
    const std::string fault =
        complaint("collect = \"postgresql://me:s3cret@host/fleet\"\n" + std::string(small));
    EXPECT_THAT(fault, StartsWith("c.toml:1: "));
    EXPECT_THAT(fault, HasSubstr("password"));
    EXPECT_EQ(fault.find("s3cret"), std::string::npos) << fault;
  }
}

TEST(Campaign, NoHostIsAnOption) {
  for (const char* host :
       {"-oProxyCommand=x", "a b", "", "a;b", "-a@b", "a@-b", "@b", "a@", "$(x)"})
    EXPECT_FALSE(check_host(host).ok()) << host;
  for (const char* host : {"board1", "nvidia@board1.lab", "10.0.0.7", "root@fe80::1%eth0"})
    EXPECT_TRUE(check_host(host).ok()) << host;
  EXPECT_THAT(complaint("[[boards]]\nname = \"a\"\nhost = \"-oProxyCommand=x\"\n"),
              StartsWith("c.toml:3: '-oProxyCommand=x' is no host"));
}

constexpr auto one_board = "[[boards]]\nname = \"a\"\n";
constexpr auto one_ask = "[[questions]]\nname = \"b\"\nask = \"experiment benchmark\"\n";

// What another machine answered, or was asked in other words, is no answer of this cell.
TEST(Campaign, AQuestionIsOfItsWordsAndItsMachine) {
  const auto machine = [](const std::string& executor, const std::string& of_board) {
    const Campaign campaign =
        parsed("executor = \"" + executor + "\"\n" + one_board + of_board + one_ask);
    const CampaignCell cell = cells_of(campaign)->front();
    EXPECT_EQ(cell_question(campaign, cell),
              "experiment benchmark run --result benchmark.json --json");
    return cell_machine(campaign, cell);
  };
  EXPECT_EQ(machine("local", ""), "");
  EXPECT_EQ(machine("ssh", "host = \"me@one\"\n"), "me@one");
  EXPECT_EQ(machine("slurm", "constraint = \"nano\"\n"), "any nano");
  EXPECT_EQ(machine("slurm", "constraint = \"nano\"\nnode = \"n7\"\n"), "node n7");

  const auto result = [&](const std::string& options) {
    const Campaign campaign = parsed(std::string(one_board) + one_ask + options);
    const auto cells = cells_of(campaign).value();
    return cell_places(campaign, cells, cells[0], CampaignFolder("/c")).result;
  };
  EXPECT_THAT(result(""), StartsWith("/c/cells/a.b/benchmark-"));
  EXPECT_EQ(result(""), result(""));
  EXPECT_NE(result(""), result("options = \"--workers 2\"\n"))
      << "what was trained otherwise cannot go on there";
}

TEST(Campaign, AnAnswerOfAnotherMachineIsNone) {
  const TempFolder place;
  const CampaignFolder folder(place.path());
  const auto state = [&](const std::string& host, const std::optional<std::string>& answered) {
    const Campaign campaign = parsed("executor = \"ssh\"\n" + std::string(one_board) + "host = \"" +
                                     host + "\"\n" + one_ask);
    const auto cells = cells_of(campaign).value();
    std::filesystem::create_directories(folder.cell(cells[0]));
    EXPECT_TRUE(write_file(folder.answer(cells[0]), "{}").ok());
    EXPECT_TRUE(write_file(folder.store(cells[0]), "").ok());
    CellResult result;
    result.asked = cell_question(campaign, cells[0]);
    result.machine = answered;
    EXPECT_TRUE(write_result(folder, cells[0], result).ok());
    return cell_status(campaign, cells, cells[0], folder).state;
  };
  EXPECT_EQ(state("one", "one"), CellState::done);
  EXPECT_EQ(state("one", "two"), CellState::missing);
  EXPECT_EQ(state("one", ""), CellState::missing);
  EXPECT_EQ(state("one", std::nullopt), CellState::done) << "nobody kept where it was asked";
}

// "No" is that limits are not kept where there are limits, of a benchmark that a target was missed.
TEST(Campaign, NoIsSaidByWhatWasAsked) {
  const TempFolder place;
  const CampaignFolder folder(place.path());
  const Campaign campaign = parsed(
      "[[boards]]\nname = \"a\"\ndevice = \"twin:orin_nano\"\n[[questions]]\nname = \"tune\"\n"
      "[[questions]]\nname = \"b\"\nask = \"experiment benchmark\"\n");
  const auto cells = cells_of(campaign).value();
  for (const CampaignCell& cell : cells) {
    std::filesystem::create_directories(folder.cell(cell));
    ASSERT_TRUE(write_file(folder.answer(cell), "{}").ok());
    ASSERT_TRUE(write_file(folder.store(cell), "").ok());
    CellResult result;
    result.asked = cell_question(campaign, cell);
    result.exit_code = 1;
    ASSERT_TRUE(write_result(folder, cell, result).ok());
  }
  const CampaignReport report = campaign_report(campaign, cells, folder);
  ASSERT_EQ(report.answers.size(), 2u);
  EXPECT_EQ(report.answers[0].outcome, "no answer keeps the limits");
  EXPECT_EQ(report.answers[1].outcome, "the answer is no");
}

TEST(Campaign, FirstBoardOfAKindLeadsTheOthers) {
  const Campaign campaign = parsed(std::string(small) + "[references]\ntravel = true\n");
  const auto cells = cells_of(campaign);
  ASSERT_TRUE(cells.ok());
  const CampaignCell &first = cells->at(0), &second = cells->at(4);
  EXPECT_TRUE(first.leads);
  EXPECT_FALSE(first.leader);
  EXPECT_EQ(second.leader, first.index);
  // Its own number of profiles replaces the question's.
  EXPECT_EQ(shell_line(cell_arguments(campaign, second, {.store = "s", .reference = "r.csv"})),
            "tune resnet18 --device twin:orin_nano@2 --power-budget 10W --profiles 3 --reference "
            "r.csv --accept simulated --store s --json");
}

}  // namespace
}  // namespace flyball
