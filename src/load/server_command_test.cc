#include "load/server_command.h"

#include <gtest/gtest.h>

#include "profile/trials/program_axes.h"

namespace flyball {
namespace {

using Words = std::vector<std::string>;

TEST(ServerCommand, IsTakenApartAsAShellDoes) {
  EXPECT_EQ(*parse_server_command("  a 'b c' \"d \\\" e\"\\ f  g=\"\" "),
            (Words{"a", "b c", "d \" e f", "g="}));
  EXPECT_EQ(*parse_server_command("a ''"), (Words{"a", ""}));
  EXPECT_EQ(*parse_server_command("a $HOME | b"), (Words{"a", "$HOME", "|", "b"}));
  EXPECT_FALSE(parse_server_command("a 'b").ok());
  EXPECT_FALSE(parse_server_command("  ").ok());
}

TEST(ServerCommand, HasAPlaceForEachAxisAndAnAxisForEachPlace) {
  Axis layers;
  layers.name = "n_gpu_layers";
  layers.scope = Scope::run;
  layers.values = {0, 16};
  const Words command{"serve", "-ngl", "{n_gpu_layers}", "--port={port}", R"({"a":1})"};
  EXPECT_TRUE(check_places(command, "", {layers}).ok());
  EXPECT_FALSE(check_places(command, "", {}).ok());
  EXPECT_FALSE(check_places({"serve"}, "", {layers}).ok());
  EXPECT_TRUE(check_places({"serve"}, "http://a:1/{n_gpu_layers}", {layers}).ok());
  EXPECT_FALSE(check_places({"serve", "8080"}, "http://127.0.0.1:{port}", {}).ok());
  EXPECT_EQ(filled_in(command, {{"n_gpu_layers", 16}, {"port", 8080}}),
            (Words{"serve", "-ngl", "16", "--port=8080", R"({"a":1})"}));
  layers.name = "port";
  EXPECT_FALSE(check_places({"{port}"}, "", {layers}).ok());
}

TEST(ServerCommand, FindsAFreePort) {
  const auto port = free_port();
  ASSERT_TRUE(port.ok());
  EXPECT_GT(*port, 1023);
}

}  // namespace
}  // namespace flyball
