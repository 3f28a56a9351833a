// Processes that are killed, or write at once: whatever a call returned for is in the store.
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <functional>

#include "base/clock.h"
#include "base/os/temp_folder.h"
#include "base/random.h"
#include "store/sample_testing.h"
#include "store/store.h"

namespace flyball {
namespace {

constexpr int batch = 8;

// A child that runs `work` with a place to say what it has done.
struct KilledChild {
  explicit KilledChild(const std::function<bool(int say)>& work) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe(ends.data()), 0);
    pid = ::fork();
    if (pid == 0) {
      ::close(ends[0]);
      ::_exit(work(ends[1]) ? 0 : 1);
    }
    ::close(ends[1]);
    heard = ends[0];
  }
  ~KilledChild() { ::close(heard); }
  KilledChild(const KilledChild&) = delete;
  KilledChild& operator=(const KilledChild&) = delete;

  // Every number it said before it ended.
  std::vector<int64_t> listen() const {
    std::vector<int64_t> said;
    int64_t number = 0;
    while (::read(heard, &number, sizeof number) == sizeof number) said.push_back(number);
    return said;
  }
  int wait() const {
    int status = 0;
    EXPECT_EQ(::waitpid(pid, &status, 0), pid);
    return status;
  }
  pid_t pid = 0;
  int heard = -1;
};

bool say(int pipe, int64_t number) {
  return ::write(pipe, &number, sizeof number) == sizeof number;
}

// Writes single measurements and batches in turn until it is killed; says each id once it is kept.
bool write_for_ever(const std::filesystem::path& folder, int first, int pipe) {
  auto store = Store::open(folder);
  if (!store.ok()) return false;
  const auto run = store->begin_run(sample_request());
  for (int n = first; run.ok(); n += 1 + batch) {
    const auto one = store->add_measurement(sample_measurement(n), *run);
    if (!one.ok() || !say(pipe, *one)) return false;
    std::vector<Measurement> some;
    for (int i = 0; i < batch; ++i) some.push_back(sample_measurement(n + 1 + i));
    const auto ids = store->add_measurements(some, *run);
    if (!ids.ok()) return false;
    for (const int64_t id : *ids)
      if (!say(pipe, id)) return false;
  }
  return false;
}

// How many measurements a killed writer left, after checking that they are what it wrote.
size_t check_survivors(Store& store, const std::vector<int64_t>& promised, int first) {
  EXPECT_TRUE(store.check().ok());
  const auto runs = store.runs();
  EXPECT_TRUE(runs.ok());
  // Killed before it could begin its run: nothing was promised.
  if (!runs.ok() || runs->empty() || runs->front().answer == "seen") {
    EXPECT_TRUE(promised.empty());
    return 0;
  }
  EXPECT_EQ(runs->front().state, RunState::interrupted);
  const auto kept = store.run_measurements(runs->front().id);
  EXPECT_TRUE(kept.ok()) << kept.error().message;
  if (!kept.ok()) return 0;
  EXPECT_GE(kept->size(), promised.size());
  EXPECT_LE(kept->size(), promised.size() + batch) << "more than the call in flight";
  for (size_t i = 0; i < kept->size(); ++i) {
    EXPECT_TRUE(i >= promised.size() || (*kept)[i].id == promised[i]);
    EXPECT_EQ((*kept)[i].measurement, sample_measurement(first + static_cast<int>(i)));
  }
  EXPECT_TRUE(store.finish_run(runs->front().id, RunState::interrupted, "seen").ok());
  // A batch stands there as a whole or not at all.
  const size_t of_turn = kept->size() % (1 + batch);
  EXPECT_LE(of_turn, 1u);
  return kept->size();
}

TEST(StoreKill, LosesAtMostTheCallInFlight) {
  const TempFolder folder;
  Random random(11);
  size_t total = 0;
  // Where the disk is slow, a writer needs longer to begin.
  for (int moment = 0; moment < 10 || (total == 0 && moment < 100); ++moment) {
    const int first = 1000 * moment;
    const KilledChild child([&](int pipe) { return write_for_ever(folder.path(), first, pipe); });
    sleep_until_ns(monotonic_ns() +
                   static_cast<int64_t>(random.uniform(5e6, 120e6)) * (1 + moment / 10));
    ASSERT_EQ(::kill(child.pid, SIGKILL), 0);
    ASSERT_TRUE(WIFSIGNALED(child.wait())) << "the writer ended by itself";
    auto store = Store::open(folder.path());
    ASSERT_TRUE(store.ok()) << store.error().message;
    total += check_survivors(*store, child.listen(), first);
    const auto all = store->measurements({});
    ASSERT_TRUE(all.ok());
    EXPECT_EQ(all->size(), total) << "what earlier writers left is still there";
  }
  EXPECT_GT(total, 0u) << "no writer ever got to write";
}

TEST(StoreKill, AStoreKilledWhileItIsMadeCanBeOpened) {
  Random random(12);
  for (int moment = 0; moment < 10; ++moment) {
    const TempFolder folder;
    const KilledChild child([&](int pipe) { return write_for_ever(folder.path(), 0, pipe); });
    sleep_until_ns(monotonic_ns() + static_cast<int64_t>(random.uniform(0, 8e6)));
    ASSERT_EQ(::kill(child.pid, SIGKILL), 0);
    child.wait();
    auto store = Store::open(folder.path());
    ASSERT_TRUE(store.ok()) << store.error().message;
    check_survivors(*store, child.listen(), 0);
    EXPECT_TRUE(store->add_measurement(sample_measurement(0)).ok());
  }
}

bool complain(const Error& error) {
  std::fprintf(stderr, "a writer: %s\n", error.message.c_str());
  return false;
}

TEST(StoreProcesses, WriteAtOnceFromTheFirstMomentOn) {
  constexpr int writers = 4, each = 25;
  const TempFolder folder;
  std::vector<std::unique_ptr<KilledChild>> children;
  for (int writer = 0; writer < writers; ++writer)
    children.push_back(std::make_unique<KilledChild>([&, writer](int pipe) {
      auto store = Store::open(folder.path(), {.busy_timeout_ms = 60'000, .max_pages = 0});
      if (!store.ok()) return complain(store.error());
      for (int i = 0; i < each; ++i) {
        const auto id = store->add_measurement(sample_measurement(1000 * writer + i));
        if (!id.ok()) return complain(id.error());
        if (!say(pipe, *id)) return false;
      }
      return true;
    }));
  std::vector<int64_t> promised;
  for (const auto& child : children) {
    const auto said = child->listen();
    EXPECT_EQ(said.size(), size_t{each});
    promised.insert(promised.end(), said.begin(), said.end());
    EXPECT_EQ(child->wait(), 0);
  }
  auto store = Store::open(folder.path());
  ASSERT_TRUE(store.ok());
  const auto all = store->measurements({});
  ASSERT_TRUE(all.ok());
  std::vector<int64_t> kept;
  for (const StoredMeasurement& stored : *all) kept.push_back(stored.id);
  EXPECT_THAT(promised, testing::UnorderedElementsAreArray(kept));
  EXPECT_EQ(kept.size(), size_t{writers * each});
}

}  // namespace
}  // namespace flyball
