#include "fleet/rounds/population.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/rounds/rounds_testing.h"

namespace flyball {
namespace {

using testing::HasSubstr;

Result<std::vector<ClientRow>> clients_of(const std::string& text) {
  auto csv = parse_csv(text, "clients.csv");
  EXPECT_TRUE(csv.ok());
  return parse_clients(*csv);
}

void expect_refused(const std::string& text, const std::string& words) {
  const auto rows = clients_of(text);
  ASSERT_FALSE(rows.ok()) << text;
  EXPECT_THAT(rows.error().message, HasSubstr(words));
}

TEST(DrawPopulation, HasTheMeansThatWereAskedFor) {
  DrawnClients drawn;
  const Population population = draw_population({small_kind("a", 60000, 2, 100, 5)}, drawn);
  double samples = 0, available = 0, transfer_s = 0, slowness = 0;
  for (const RoundClient& client : population.clients) {
    samples += client.samples;
    available += client.available;
    transfer_s += client.transfer_s;
    slowness += client.slowness;
    ASSERT_GE(client.samples, 1);
    ASSERT_TRUE(client.available >= 0 && client.available <= 1);
  }
  EXPECT_NEAR(samples / 60000, 500, 15);
  EXPECT_NEAR(available / 60000, 0.5, 0.01);
  EXPECT_NEAR(transfer_s / 60000, 10, 0.2);
  EXPECT_NEAR(slowness / 60000, 1, 0.01);
}

TEST(DrawPopulation, DependsOnTheSeedAlone) {
  const Population one = small_population(50, 1), same = small_population(50, 1),
                   other = small_population(50, 2);
  for (size_t i = 0; i < 50; ++i) EXPECT_EQ(one.clients[i].samples, same.clients[i].samples);
  EXPECT_NE(one.clients[7].transfer_s, other.clients[7].transfer_s);
}

TEST(ShareOutClients, KeepsTheProportions) {
  std::vector<FleetEntry> entries = {{"a", 2}, {"b", 6}, {"c", 2}};
  ASSERT_TRUE(share_out_clients(entries, 0).ok());
  EXPECT_EQ(entries[1].boards, 6u);
  ASSERT_TRUE(share_out_clients(entries, 1000).ok());
  EXPECT_EQ(entries[0].boards, 200u);
  EXPECT_EQ(entries[1].boards, 600u);
  ASSERT_TRUE(share_out_clients(entries, 7).ok());
  EXPECT_EQ(entries[0].boards + entries[1].boards + entries[2].boards, 7u);
  entries = {{"a", 1}, {"b", 1000}};
  ASSERT_TRUE(share_out_clients(entries, 3).ok());
  EXPECT_EQ(entries.size(), 1u);
  entries = {{"a", 2'000'000}};
  EXPECT_FALSE(share_out_clients(entries, 0).ok());
}

TEST(ClientFile, TakesWhatIsLeftOutAsAlwaysThere) {
  const auto rows = clients_of("client,board,samples,dropout\nx,twin:orin_nano,40,\ny,a,7,0.5\n");
  ASSERT_TRUE(rows.ok());
  EXPECT_EQ((*rows)[0].name, "x");
  EXPECT_EQ((*rows)[0].board, "twin:orin_nano");
  EXPECT_EQ((*rows)[0].client.available, 1);
  EXPECT_EQ((*rows)[0].client.dropout, 0);
  EXPECT_EQ((*rows)[1].client.samples, 7);
  EXPECT_EQ((*rows)[1].client.dropout, 0.5);
}

TEST(ClientFile, NamesWhatIsWrong) {
  expect_refused("client,board\nx,a\n", "column 'samples' is missing");
  expect_refused("client,board,samples,avail\nx,a,3,1\n", "column 'avail' is not known");
  expect_refused("client,board,samples\n", "has no clients");
  expect_refused("client,board,samples\nx,a,0\n", "clients.csv:2: column 'samples'");
  expect_refused("client,board,samples\nx,a,3\nx,a,3\n", "clients.csv:3: column 'client'");
  expect_refused("client,board,samples\n,a,3\n", "column 'client'");
  expect_refused("client,board,samples\nx,,3\n", "column 'board'");
  expect_refused("client,board,samples,available\nx,a,3,1.5\n", "column 'available'");
  expect_refused("client,board,samples,transfer_s\nx,a,3,-1\n", "column 'transfer_s'");
  expect_refused("client,board,samples,slowness\nx,a,3,0\n", "column 'slowness'");
  expect_refused("client,board,samples\nx,a,many\n", "column 'samples'");
}

}  // namespace
}  // namespace flyball
