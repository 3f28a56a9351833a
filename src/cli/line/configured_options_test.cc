#include "cli/line/configured_options.h"

#include <gmock/gmock.h>

#include "cli/board.h"
#include "cli/common_options.h"
#include "cli/line/application.h"
#include "cli/load_options.h"

namespace flyball::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

using Words = std::vector<std::string>;

ConfiguredValue of_file(const std::string& option, const Words& values) {
  return {.command = "", .option = option, .values = values, .file = "flyball.toml", .line = 1};
}

// A command with a file's defaults and what is typed.
void take(CLI::App& command, const std::vector<ConfiguredValue>& values, const Words& typed) {
  const Status status = configure({&command, ""}, values, typed);
  ASSERT_TRUE(status.ok()) << status.error().message;
  command.parse(Words(typed.rbegin(), typed.rend()));
}

Words axes_of(const std::vector<ConfiguredValue>& values, const Words& typed) {
  CLI::App command{"Tunes."};
  AskedAxes axes;
  add_axis_option(command, axes);
  take(command, values, typed);
  return axes.texts;
}

TEST(AxesOfAFile, StandBesideThoseThatAreTyped) {
  const std::vector<ConfiguredValue> file = {of_file("--batch-size", {"8", "16"}),
                                             of_file("--workers", {"2"})};
  EXPECT_THAT(axes_of(file, {}), UnorderedElementsAre("batch_size=8,16", "loader_workers=2"));
  EXPECT_THAT(axes_of(file, {"--axis", "gpu_mhz=600..1300"}),
              UnorderedElementsAre("batch_size=8,16", "loader_workers=2", "gpu_mhz=600..1300"));
}

TEST(AxesOfAFile, AreReplacedByThoseOfTheirName) {
  const std::vector<ConfiguredValue> size = {of_file("--batch-size", {"8", "16"})};
  EXPECT_THAT(axes_of(size, {"--axis", "batch_size=4"}), ElementsAre("batch_size=4"));
  EXPECT_THAT(axes_of(size, {"--batch-size", "4"}), ElementsAre("batch_size=4"));
  const std::vector<ConfiguredValue> axis = {of_file("--axis", {"batch_size=8", "gpu_mhz=600"})};
  EXPECT_THAT(axes_of(axis, {"--batch-size", "4"}),
              UnorderedElementsAre("gpu_mhz=600", "batch_size=4"));
  EXPECT_THAT(axes_of({}, {"--axis", "batch_size=8", "--batch-size", "4"}),
              ElementsAre("batch_size=8", "batch_size=4"))
      << "typed twice, which is refused later";
}

TEST(OptionsThatContradict, AreRefusedWhereBothAreTyped) {
  CLI::App command{"Tunes."};
  StoreArguments store;
  add_store_options(command, store);
  EXPECT_THROW(take(command, {}, {"--store", "a.db", "--no-store"}), CLI::ExcludesError);
}

TEST(OptionsThatContradict, AreDecidedByTheTypedOne) {
  const std::vector<ConfiguredValue> nothing_kept = {of_file("--no-store", {"true"})};
  CLI::App command{"Tunes."};
  StoreArguments store;
  add_store_options(command, store);
  take(command, nothing_kept, {"--store", "a.db"});
  EXPECT_EQ(store.place, "a.db");
  EXPECT_FALSE(store.none);
}

TEST(OptionsOfALoad, AFileMayHaveThoseOfAnotherProtocol) {
  const std::vector<ConfiguredValue> file = {
      of_file("--model", {"net"}), of_file("--prompt", {"Why?"}), of_file("--method", {"PUT"}),
      of_file("--no-stream", {"true"})};
  CLI::App command{"Loads."};
  LoadArguments arguments;
  add_load_options(command, arguments);
  take(command, file, {});
  const auto http = load_of_protocol(arguments, LoadProtocol::http);
  ASSERT_TRUE(http.ok()) << http.error().message;
  EXPECT_THAT(http->request.model, IsEmpty());
  EXPECT_EQ(http->request.method, "PUT");
  const auto chat = load_of_protocol(arguments, LoadProtocol::openai_chat);
  ASSERT_TRUE(chat.ok()) << chat.error().message;
  EXPECT_EQ(chat->request.prompt, "Why?");
  EXPECT_TRUE(chat->no_stream);
  EXPECT_THAT(chat->request.method, IsEmpty());
}

TEST(OptionsOfALoad, ThoseOfAnotherProtocolAreRefusedWhereTheyAreTyped) {
  const std::vector<std::pair<LoadProtocol, Words>> refused = {
      {LoadProtocol::oip, {"--prompt", "Why?"}},
      {LoadProtocol::http, {"--max-tokens", "8"}},
      {LoadProtocol::http, {"--content-type", "text/plain"}},
      {LoadProtocol::oip, {"--content-type", "text/plain"}},
      {LoadProtocol::http, {"--model", "net"}},
      {LoadProtocol::openai_chat, {"--method", "PUT"}}};
  for (const auto& [protocol, words] : refused) {
    CLI::App command{"Loads."};
    LoadArguments arguments;
    add_load_options(command, arguments);
    take(command, {}, words);
    EXPECT_FALSE(load_of_protocol(arguments, protocol).ok()) << words[0];
  }
}

// "{false}" behind a flag's name counts on the command line alone: a file would say the opposite.
class FlagsOfCommands : public ::testing::Test {
 protected:
  FlagsOfCommands() { add_commands(app_, context_); }

  bool may_stand_in_a_file(const std::string& command, const std::string& name) {
    const ConfiguredValue value{.command = command,
                                .option = "--" + name,
                                .values = {"true"},
                                .file = "flyball.toml",
                                .line = 1};
    return check_configuration(app_, std::span(&value, 1)).ok();
  }
  void expect_one_way(const CLI::App& command, const std::string& path) {
    for (const CLI::Option* option : command.get_options())
      for (const std::string& name : option->get_lnames())
        if (option->check_fname(name) && may_stand_in_a_file(path, name))
          ADD_FAILURE() << "--" << name << " of `flyball " << path << "` has a value of its own";
    for (const CLI::App* below : command.get_subcommands({}))
      expect_one_way(*below, path + (path.empty() ? "" : " ") + below->get_name());
  }

  CLI::App app_{"Finds things.", "flyball"};
  Context context_;
};

TEST_F(FlagsOfCommands, SayTheSameInAFile) {
  EXPECT_TRUE(may_stand_in_a_file("plan training", "no-verify"));
  EXPECT_FALSE(may_stand_in_a_file("plan training", "json"));
  expect_one_way(app_, "");
}

}  // namespace
}  // namespace flyball::cli
