// The helper as its clients meet it: other users, over a tree, by its socket.
#include "device/helper/server.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <regex>

#include "base/files.h"
#include "device/helper/helper_testing.h"
#include "device/helper/messages.h"

namespace flyball {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string describe_line = R"({"flyball":1,"do":"describe"})";
const std::string claim_line = R"({"flyball":1,"do":"claim"})";
const std::string apply_line = R"({"flyball":1,"do":"apply","mode":{"cpu_mhz":729.6}})";
const std::string done_line = R"({"flyball":1,"ok":true})";

class HelperServerTest : public HelperTest {};

// What the others set for themselves, lest they wait so long.
TEST(HelperLimits, AreThoseOfTheDocument) {
  const auto page = read_file(FLYBALL_SOURCE_DIR "/docs/helper.md");
  ASSERT_TRUE(page.ok()) << page.error().message;
  const std::string text = std::regex_replace(*page, std::regex("\\s+"), " ");
  const HelperLimits limits;
  EXPECT_THAT(text, HasSubstr(fmt::format("is silent for {:g} s (`flyball` says every 10 s",
                                          limits.silent_s)));
  EXPECT_THAT(text,
              HasSubstr(fmt::format("Limits: {} clients, {} of one user; a message of {} bytes; "
                                    "{:g} s from the first byte of a message to its end.",
                                    limits.clients, limits.clients_of_user, helper_request_bytes,
                                    limits.half_message_s)));
  EXPECT_EQ(limits.idle_s, 0) << "a helper that is run by hand stays";
}

TEST_F(HelperServerTest, AMemberOfTheGroupSetsAListedValueAndTheEndPutsItBack) {
  start_helper();
  EXPECT_EQ(as_user({},
                    [&] {
                      RawClient client(socket());
                      if (client.ask(describe_line)
                              .find(R"("axes":[{"name":"cpu_mhz","values":[115.2,729.6,)") ==
                          std::string::npos)
                        return 1;
                      if (client.ask(apply_line) != done_line) return 2;
                      return tree_.get(1, "scaling_max_freq") == "729600" ? 0 : 3;
                    }),
            0);
  EXPECT_TRUE(soon_restored());
  EXPECT_THAT(log(), HasSubstr("of user 65534 (group 65534) is connected"));
  EXPECT_THAT(log(), HasSubstr("of user 65534 (group 65534) set cpu_mhz 729.6"));
  EXPECT_EQ(helper_.end(SIGTERM), 0);
  EXPECT_THAT(log(), HasSubstr("no longer has the board: it has gone"));
}

TEST_F(HelperServerTest, OtherGroupsDoNotReachIt) {
  start_helper();
  for (const TestUser& user :
       {TestUser{peer_user, peer_user, {wrong_group}}, TestUser{other_user, wrong_group, {}},
        TestUser{peer_user, peer_user, {}}})
    EXPECT_EQ(
        as_user(user,
                [&] {
                  const auto link = HelperLink::connect(socket());
                  if (link || link.error().code != Code::permission) return 1;
                  return link.error().hint.find("usermod -aG flyball") != std::string::npos ? 0 : 2;
                }),
        0);
  // Membership as first group counts as well as a further one.
  EXPECT_EQ(as_user({other_user, socket_group, {}},
                    [&] { return HelperLink::connect(socket()).ok() ? 0 : 1; }),
            0);
}

TEST_F(HelperServerTest, WhatIsNotOnTheListIsNotSet) {
  start_helper();
  EXPECT_EQ(
      as_user(
          {},
          [&] {
            RawClient client(socket());
            int failure = 0, number = 0;
            const auto refused = [&](const std::string& mode, const char* why) {
              ++number;
              const std::string reply =
                  client.ask(R"({"flyball":1,"do":"apply","mode":)" + mode + "}");
              if (reply.find(why) == std::string::npos ||
                  reply.find("\"ok\":false") == std::string::npos)
                failure = failure ? failure : number;
            };
            refused(R"({"cpu_mhz":1000})", "the nearest it can be: 729.6 and 1113.6");
            refused(R"({"cpu_mhz":729.6,"gpu_mhz":1})", "no axis 'gpu_mhz'");
            refused(R"({"cpu_cores":1})", "no axis 'cpu_cores'");  // would bind the helper itself
            refused(R"({"/etc/passwd":1})", "no object of numbers");
            refused(R"({"cpu_mhz":"729.6; reboot"})", "no object of numbers");
            refused(R"({"cpu_mhz":729.6},"root":"/tmp")", "nothing else");
            if (client.ask(R"({"flyball":1,"do":"claim","state":"/tmp"})").find("further keys") ==
                std::string::npos)
              return 100;
            if (client.ask(R"({"flyball":1,"do":"run"})").find("does nothing") == std::string::npos)
              return 101;
            if (client.ask(R"({"flyball":9,"do":"claim"})").find("version 1") == std::string::npos)
              return 102;
            return failure;
          }),
      0);
  EXPECT_TRUE(restored());
  EXPECT_FALSE(std::filesystem::exists(tree_.journal()));
}

TEST_F(HelperServerTest, ASecondClientIsToldWhoHasTheBoardAndSinceWhen) {
  start_helper();
  RawClient first(socket()), second(socket());
  ASSERT_EQ(first.ask(apply_line), done_line);
  const std::string who =
      fmt::format("held by process {} of user 0 (group 0) since 20", ::getpid());
  for (const std::string& line : {claim_line, apply_line})
    EXPECT_THAT(second.ask(line), HasSubstr(who));
  EXPECT_THAT(second.ask(claim_line), HasSubstr("\"code\":\"conflict\""));
  EXPECT_THAT(second.ask(describe_line), HasSubstr(fmt::format("process {}", ::getpid())));
  // It neither puts back nor keeps what is not its own.
  EXPECT_EQ(second.ask(R"({"flyball":1,"do":"restore"})"), done_line);
  EXPECT_EQ(second.ask(R"({"flyball":1,"do":"release"})"), done_line);
  EXPECT_THAT(second.ask(R"({"flyball":1,"do":"keep"})"), HasSubstr("\"ok\":false"));
  EXPECT_EQ(tree_.get(0, "scaling_max_freq"), "729600");
  EXPECT_EQ(first.ask(R"({"flyball":1,"do":"release"})"), done_line);
  EXPECT_TRUE(restored());
  EXPECT_EQ(second.ask(claim_line), done_line);
}

TEST_F(HelperServerTest, AFlyballOfRootAndTheHelperAreOneWriter) {
  start_helper();
  RawClient client(socket());
  {
    const auto host = *open_host(tree_.options());
    ASSERT_TRUE(host->claim().ok());
    EXPECT_THAT(client.ask(claim_line), HasSubstr(fmt::format("process {} (", ::getpid())));
  }
  ASSERT_EQ(client.ask(apply_line), done_line);
  const auto host = *open_host(tree_.options());
  EXPECT_THAT(host->claim().error().message, HasSubstr(fmt::format("process {}", helper_.pid())));
}

TEST_F(HelperServerTest, AClientThatIsKilledInAModeLeavesTheTreeAsItWas) {
  start_helper();
  TestProcess client({}, [&] {
    RawClient raw(socket());
    const bool set = raw.ask(apply_line) == done_line;
    ::kill(::getpid(), set ? SIGKILL : SIGTERM);
    return 1;
  });
  EXPECT_EQ(client.wait(), -SIGKILL);
  EXPECT_TRUE(soon_restored());
  EXPECT_TRUE(within_seconds_of_now(5, [&] { return !std::filesystem::exists(tree_.journal()); }));
  RawClient next(socket());
  EXPECT_EQ(next.ask(claim_line), done_line);
}

TEST_F(HelperServerTest, AHelperThatIsKilledLeavesAJournalThatItsNextStartPutsBack) {
  start_helper();
  {
    RawClient client(socket());
    ASSERT_EQ(client.ask(apply_line), done_line);
    EXPECT_EQ(helper_.end(SIGKILL), -SIGKILL);
    EXPECT_TRUE(client.hung_up());
  }
  EXPECT_FALSE(restored());
  EXPECT_TRUE(std::filesystem::exists(tree_.journal()));
  start_helper();
  EXPECT_TRUE(restored());
  EXPECT_FALSE(std::filesystem::exists(tree_.journal()));
}

TEST_F(HelperServerTest, AskedToEndItPutsBackWhatIsHeld) {
  start_helper();
  RawClient client(socket());
  ASSERT_EQ(client.ask(apply_line), done_line);
  EXPECT_EQ(helper_.end(SIGTERM), 0);
  EXPECT_TRUE(restored());
  EXPECT_TRUE(client.hung_up());
}

TEST_F(HelperServerTest, AMessageMayComeInPiecesButNotForever) {
  limits_.half_message_s = 0.5;
  start_helper();
  RawClient client(socket()), staller(socket());
  for (const char byte : claim_line) client.say(std::string(1, byte));
  EXPECT_EQ(client.ask(""), done_line);
  const Stopwatch watch;
  staller.say(R"({"flyball":1,)");
  EXPECT_THAT(staller.hear(), HasSubstr("did not end in time"));
  EXPECT_TRUE(staller.hung_up());
  EXPECT_GE(watch.seconds(), 0.45);
  EXPECT_EQ(client.ask(claim_line), done_line);  // others are served meanwhile and after
}

TEST_F(HelperServerTest, AClientThatStallsInAModeLosesTheBoard) {
  limits_.silent_s = 2;
  start_helper();
  RawClient client(socket());
  ASSERT_EQ(client.ask(apply_line), done_line);
  for (int beat = 0; beat < 4; ++beat) {
    sleep_until_ns(monotonic_ns() + 600'000'000);
    ASSERT_EQ(client.ask(R"({"flyball":1,"do":"alive"})"), done_line);
  }
  EXPECT_FALSE(restored());
  EXPECT_THAT(client.hear(), HasSubstr("no message for too long"));
  EXPECT_TRUE(client.hung_up());
  EXPECT_TRUE(restored());
}

TEST_F(HelperServerTest, OversizeMessagesEndTheirClientAlone) {
  start_helper();
  RawClient good(socket());
  ASSERT_EQ(good.ask(apply_line), done_line);
  const std::string padding(helper_request_bytes, ' ');
  for (const std::string& text : {std::string(100'000, 'x'), padding + claim_line + "\n"}) {
    RawClient bad(socket());
    bad.say(text);
    EXPECT_THAT(bad.hear(), HasSubstr("4096 bytes at most"));
    EXPECT_TRUE(bad.hung_up());
  }
  EXPECT_EQ(good.ask(claim_line), done_line);
  EXPECT_FALSE(restored());
}

TEST_F(HelperServerTest, ClientsAreLimitedInAllAndOfEachUser) {
  start_helper();
  EXPECT_EQ(
      as_user({},
              [&] {
                RawClient first(socket()), second(socket()), third(socket());
                for (RawClient* client : {&first, &second, &third})
                  if (client->ask(describe_line).find("\"ok\":true") == std::string::npos) return 1;
                RawClient fourth(socket());
                return fourth.hear().find("user 65534 has 3 clients") == std::string::npos ? 2 : 0;
              }),
      0);
  RawClient one(socket()), two(socket()), three(socket()), four(socket());
  EXPECT_THAT(four.ask(describe_line), HasSubstr("\"ok\":true"));
  RawClient five(socket());
  EXPECT_THAT(five.hear(), HasSubstr("it has 4 clients"));
}

TEST_F(HelperServerTest, WhoDoesNotReadIsLetGo) {
  start_helper();
  RawClient deaf(socket());
  std::string many;
  for (int i = 0; i < 100; ++i) many += describe_line + "\n";
  // The kernel's buffers hold some hundred kilobytes; then nothing can be answered.
  for (int round = 0; round < 100; ++round) deaf.say(many);
  RawClient other(socket());
  EXPECT_EQ(other.ask(claim_line), done_line);
}

TEST_F(HelperServerTest, GarbageIsAnsweredAndChangesNothing) {
  start_helper();
  RawClient client(socket());
  for (const std::string& line :
       {std::string("GET / HTTP/1.1"), std::string("\0\0\0", 3), std::string("[]"),
        std::string("{"), std::string("\xff\xfe"), std::string(2000, '['),
        std::string("{\"flyball\":1}"), std::string(R"({"flyball":1,"do":"apply"})"),
        std::string(R"({"flyball":1,"do":"apply","mode":{"cpu_mhz":1e999}})")})
    EXPECT_THAT(client.ask(line), HasSubstr("\"ok\":false")) << line;
  EXPECT_TRUE(restored());
  EXPECT_EQ(client.ask(claim_line), done_line);
}

TEST_F(HelperServerTest, WhatCannotBePutBackIsLoggedAndKeepsTheBoardClosed) {
  start_helper();
  {
    RawClient client(socket());
    ASSERT_EQ(client.ask(apply_line), done_line);
    std::filesystem::remove(tree_.file(1, "scaling_max_freq"));
  }
  EXPECT_TRUE(within_seconds_of_now(
      10, [&] { return log().find("could not be put back") != std::string::npos; }));
  RawClient next(socket());
  EXPECT_THAT(next.ask(claim_line), HasSubstr("could not be put back"));
  tree_.put(1, "scaling_max_freq", "729600\n");
  EXPECT_EQ(next.ask(claim_line), done_line);
  EXPECT_TRUE(restored());
}

TEST_F(HelperServerTest, EndsByItselfWhenNobodyNeedsIt) {
  limits_.idle_s = 0.3;
  start_helper();
  {
    RawClient client(socket());
    sleep_until_ns(monotonic_ns() + 500'000'000);
    EXPECT_EQ(client.ask(claim_line), done_line);
  }
  EXPECT_EQ(helper_.wait(), 0);
}

}  // namespace
}  // namespace flyball
