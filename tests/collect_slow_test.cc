// Stores of a thousand boards into one database, by processes that are bounded, while its server is
// killed, and while its disk is full: nothing is lost, and nothing is there twice.
#include <gmock/gmock.h>
#include <sys/mount.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "base/parallel.h"
#include "command_testing.h"
#include "sql/postgres_testing.h"
#include "store/sample_testing.h"
#include "store/store.h"

namespace flyball::testing_tools {
namespace {

using ::testing::HasSubstr;

constexpr int boards = 1000, runs_of_each = 3, rows_of_each = 8, processes = 4, stores_at_once = 25;

class CollectSlowTest : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    if (const std::string why = PostgresServer::missing(); !why.empty()) GTEST_SKIP() << why;
    parallel_for(boards, [this](size_t board) { make_store(static_cast<int>(board)); });
  }

  std::string store_of(int board) const {
    return (folder_ / ("board" + std::to_string(board) + ".db")).string();
  }
  void make_store(int board) const {
    auto store = Store::open(store_of(board));
    ASSERT_TRUE(store.ok()) << store.error().message;
    for (int run = 0; run < runs_of_each; ++run) {
      std::vector<Measurement> rows;
      for (int i = 0; i < rows_of_each; ++i) {
        rows.push_back(sample_measurement(rows_of_each * run + i));
        rows.back().minibatch_ms += board * 1e-6;
      }
      ASSERT_TRUE(store->add_run(sample_request(), rows, "{}").ok());
    }
  }

  /// All stores, by so many processes at once; the worst exit code.
  int collect_all(const std::string& into, std::string* complaints = nullptr) {
    std::atomic<int> next = 0, worst = 0;
    std::vector<std::thread> threads;
    std::mutex told;
    for (int i = 0; i < processes; ++i)
      threads.emplace_back([&] {
        for (int first; (first = next.fetch_add(stores_at_once)) < boards;) {
          std::vector<std::string> words = {"collect", "--into", into, "--json"};
          for (int board = first; board < std::min(first + stores_at_once, boards); ++board)
            words.push_back(store_of(board));
          Finished done = run(words);
          // Whoever starts while the server is away says so, and is asked again.
          for (int i = 0; i < 40 && done.err.find("cannot reach") != std::string::npos; ++i) {
            sleep_until_ns(monotonic_ns() + 500'000'000);
            done = run(words);
          }
          worst = std::max(worst.load(), done.exit_code);
          const std::lock_guard lock(told);
          if (complaints) *complaints += done.err;
        }
      });
    for (std::thread& thread : threads) thread.join();
    return worst;
  }

  /// Every run and row of every board, each once.
  static void expect_all(PostgresServer& server) {
    auto database = Database::connect(server.place(), true);
    ASSERT_TRUE(database.ok()) << database.error().message;
    const auto count = [&](const char* sql) { return database->integer(sql).value(); };
    EXPECT_EQ(count("SELECT COUNT(*) FROM stores WHERE NOT own"), boards);
    EXPECT_EQ(count("SELECT COUNT(*) FROM runs"), boards * runs_of_each);
    const int64_t rows = int64_t{boards} * runs_of_each * rows_of_each;
    EXPECT_EQ(count("SELECT COUNT(*) FROM measurements"), rows);
    EXPECT_EQ(count("SELECT COUNT(DISTINCT (store_id, store_row)) FROM measurements"), rows);
    EXPECT_EQ(count("SELECT COUNT(DISTINCT minibatch_ms) FROM measurements"), rows);
    EXPECT_EQ(count("SELECT COUNT(*) FROM run_measurements"), rows);
    EXPECT_EQ(count("SELECT COUNT(*) FROM (SELECT store_id FROM measurements GROUP BY store_id "
                    "HAVING COUNT(*) = 24) whole"),
              boards);
  }
};

TEST_F(CollectSlowTest, AServerThatIsKilledThreeTimes) {
  PostgresServer server;
  ASSERT_EQ(run({"collect", "--into", server.place()}).exit_code, 0);
  std::atomic<bool> over = false;
  int kills = 0;
  std::thread killer([&] {
    for (; kills < 3 && !over; ++kills) {
      sleep_until_ns(monotonic_ns() + 1'500'000'000);
      server.kill();
      sleep_until_ns(monotonic_ns() + 300'000'000);
      EXPECT_TRUE(server.start());
    }
  });
  std::string complaints;
  EXPECT_EQ(collect_all(server.place(), &complaints), 0) << complaints;
  over = true;
  killer.join();
  EXPECT_EQ(kills, 3);
  expect_all(server);
  EXPECT_EQ(collect_all(server.place(), &complaints), 0) << complaints;
  expect_all(server);
}

// A collecting process that is killed leaves whole runs.
TEST_F(CollectSlowTest, CollectingIsKilledAndGoesOn) {
  PostgresServer server;
  ASSERT_EQ(run({"collect", "--into", server.place()}).exit_code, 0);
  std::vector<std::string> words = {"collect", "--into", server.place()};
  for (int board = 0; board < boards; ++board) words.push_back(store_of(board));
  for (int i = 0; i < 5; ++i) {
    const pid_t child = start(words);
    sleep_until_ns(monotonic_ns() + 400'000'000);
    ::kill(child, SIGKILL);
    EXPECT_EQ(finish(child).exit_code, 128 + SIGKILL);
  }
  EXPECT_EQ(collect_all(server.place()), 0);
  expect_all(server);
}

TEST_F(CollectSlowTest, AFullDiskIsSaidAndNothingIsLost) {
  const fs::path disk = folder_ / "disk";
  fs::create_directories(disk);
  if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=320m,mode=777") != 0)
    GTEST_SKIP() << "no right to mount a small disk";
  {
    PostgresServer server(disk / "data");
    ASSERT_EQ(run({"collect", "--into", server.place()}).exit_code, 0);
    // All that is free but a little.
    const auto free = fs::space(disk).available;
    { std::ofstream(disk / "filler").put('x'); }
    fs::resize_file(disk / "filler", 1);
    const int filler = ::open((disk / "filler").c_str(), O_WRONLY);
    EXPECT_EQ(::posix_fallocate(filler, 0, static_cast<off_t>(free - (4 << 20))), 0);
    ::close(filler);
    std::string complaints;
    std::thread freed([&] {
      sleep_until_ns(monotonic_ns() + 8'000'000'000);
      fs::remove(disk / "filler");
      server.kill();
      EXPECT_TRUE(server.start());
    });
    const int failed = collect_all(server.place(), &complaints);
    freed.join();
    if (failed != 0) {
      EXPECT_THAT(complaints, HasSubstr("no space left in the database"));
    }
    EXPECT_EQ(collect_all(server.place(), &complaints), 0) << complaints;
    expect_all(server);
  }
  ::umount2(disk.c_str(), MNT_DETACH);
}

}  // namespace
}  // namespace flyball::testing_tools
