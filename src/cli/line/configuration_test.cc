#include "cli/line/configuration.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "base/files.h"
#include "base/os/temp_folder.h"

namespace flyball::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> told(const std::vector<ConfiguredValue>& values) {
  std::vector<std::string> all;
  for (const ConfiguredValue& value : values) {
    std::string text = value.command + "|" + value.option;
    for (const std::string& one : value.values) text += "|" + one;
    all.push_back(text);
  }
  return all;
}

TEST(ConfigurationText, HasValuesOfEveryKindTheMoreExactCommandLater) {
  const auto values = parse_configuration(
      "[plan.training]\nprofiles = 8\n[plan]\nwait = true\nprofiles = 9\n", "f.toml");
  ASSERT_TRUE(values.ok()) << values.error().message;
  EXPECT_THAT(told(*values),
              ElementsAre("plan|--profiles|9", "plan|--wait|true", "plan training|--profiles|8"));
  const auto top = parse_configuration("jitter = 0.5\naxis = ['a=1,2', 'b=3']\n", "f.toml");
  ASSERT_TRUE(top.ok());
  EXPECT_THAT(told(*top), ElementsAre("|--axis|a=1,2|b=3", "|--jitter|0.5"));
  EXPECT_EQ((*top)[0].place(), "f.toml:2");
}

TEST(ConfigurationText, IsRefusedWithItsLine) {
  for (const auto& [text, line] :
       std::vector<std::pair<std::string, std::string>>{{"a = 1\nb = [[1]]\n", "f.toml:2: "},
                                                        {"a = []\n", "f.toml:1: "},
                                                        {"a = 2024-01-01\n", "f.toml:1: "},
                                                        {"a = [{ b = 1 }]\n", "f.toml:1: "},
                                                        {"\n\nnot toml\n", "f.toml:3: "}}) {
    const auto values = parse_configuration(text, "f.toml");
    ASSERT_FALSE(values.ok()) << text;
    EXPECT_THAT(values.error().message, ::testing::StartsWith(line)) << text;
    EXPECT_THAT(values.error().hint, HasSubstr("docs/reference/configuration.md"));
  }
}

TEST(ConfigurationFilesOf, TheProjectComeAfterTheUser) {
  auto folder = TempFolder::make();
  ASSERT_TRUE(folder.ok());
  const ConfigurationFiles files{folder->path() / "user.toml", folder->path() / "project.toml"};
  ASSERT_TRUE(read_configuration(files)->values.empty()) << "neither is there";
  ASSERT_TRUE(write_file(files.user, "[tune]\nprofiles = 3\n").ok());
  ASSERT_TRUE(write_file(files.project, "profiles = 4\n").ok());
  EXPECT_THAT(told(read_configuration(files)->values),
              ElementsAre("tune|--profiles|3", "|--profiles|4"));
  ASSERT_TRUE(write_file(files.project, "store = 'kept.db'\n").ok());
  EXPECT_THAT(told(read_configuration(files)->values),
              ElementsAre("tune|--profiles|3", "|--store|" + (folder->path() / "kept.db").string()))
      << "one store for the project, wherever in it one works";
  ASSERT_TRUE(write_file(files.project, "store = 'service=fleet'\n").ok());
  EXPECT_THAT(told(read_configuration(files)->values),
              ElementsAre("tune|--profiles|3", "|--store|service=fleet"))
      << "a database, not a file";
  ASSERT_TRUE(write_file(files.project, std::string(2 << 20, '#')).ok());
  EXPECT_FALSE(read_configuration(files).ok()) << "larger than any such file";
}

TEST(ConfigurationFilesOf, WhatOthersMayWriteIsLeftUnread) {
  auto folder = TempFolder::make();
  ASSERT_TRUE(folder.ok());
  const ConfigurationFiles files{folder->path() / "user.toml", folder->path() / "project.toml"};
  ASSERT_TRUE(write_file(files.project, "profiles = 4\n").ok());
  std::filesystem::permissions(files.project, std::filesystem::perms::others_write,
                               std::filesystem::perm_options::add);
  const auto read = read_configuration(files);
  ASSERT_TRUE(read.ok());
  EXPECT_THAT(read->values, ::testing::IsEmpty());
  EXPECT_THAT(read->notes, ElementsAre(HasSubstr("project.toml is not read")));
}

}  // namespace
}  // namespace flyball::cli
