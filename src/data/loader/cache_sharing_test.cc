// Several processes with one cache, and processes that are killed.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <thread>

#include "base/clock.h"
#include "base/files.h"
#include "base/os/privileges_testing.h"
#include "base/os/temp_folder.h"
#include "data/loader/counted_set_testing.h"
#include "data/loader/sample_cache.h"

namespace flyball {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

std::shared_ptr<SampleCache> open_shared(const std::shared_ptr<CountedSet>& set,
                                         const fs::path& folder, uint64_t bytes) {
  auto cache = SampleCache::open(set, {.bytes = bytes, .share = true, .folder = folder});
  EXPECT_TRUE(cache.ok()) << cache.error().message;
  return *std::move(cache);
}

size_t files_in(const fs::path& folder) {
  return static_cast<size_t>(std::distance(fs::directory_iterator(folder), {}));
}

// Another process that does this and exits with its answer.
pid_t start(const std::function<int()>& task) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(task());
  return child;
}

int end_of(pid_t child) {
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void kill_it(pid_t child) {
  ::kill(child, SIGKILL);
  EXPECT_EQ(end_of(child), 128 + SIGKILL);
}

// Fetches what is not there and keeps it, as a loader does; false when a sample is wrong.
bool run_counted_epoch(const CountedSet& set, SampleCache& cache, uint64_t seed) {
  std::vector<int64_t> order(static_cast<size_t>(set.size()));
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = static_cast<int64_t>((i * 7919 + seed * 104729) % order.size());
  RawSample sample;
  for (const int64_t index : order) {
    if (!cache.lend(index, sample)) {
      if (!set.fetch(index, sample).ok()) return false;
      cache.keep(index, sample);
    }
    if (!is_right(index, sample, false)) return false;
  }
  return true;
}

TEST(CacheSharing, ASecondTrainingFindsWhatTheFirstRead) {
  const TempFolder folder;
  const auto set = std::make_shared<CountedSet>(1000);
  const auto first = open_shared(set, folder.path(), set->all_bytes() / 2);
  EXPECT_FALSE(first->state().joined);
  ASSERT_TRUE(run_counted_epoch(*set, *first, 1));
  const int other = end_of(start([&] {
    const auto own = std::make_shared<CountedSet>(1000);
    const auto second = open_shared(own, folder.path(), 99);  // the size is the first one's
    const CacheState state = second->state();
    if (!state.joined || state.users != 2 || state.size_bytes != set->all_bytes() / 2) return 1;
    if (state.held_samples != first->state().held_samples) return 2;
    if (!run_counted_epoch(*own, *second, 2)) return 3;
    return own->fetched_ == 1000 - state.held_samples ? 0 : 4;
  }));
  EXPECT_EQ(other, 0);
  EXPECT_EQ(first->state().users, 1);
  EXPECT_EQ(files_in(folder.path()), 1u);
}

TEST(CacheSharing, WhoJoinsNeedsNoMemory) {
  const TempFolder folder, other, data;
  const auto set = std::make_shared<CountedSet>(100);
  set->files_ = {data / "samples"};
  ASSERT_TRUE(write_file(data / "samples", std::string(set->all_bytes(), 'x')).ok());
  const auto first = open_shared(set, folder.path(), 50'000);
  EXPECT_EQ(first->growth_bytes(), 50'000u);
  ASSERT_TRUE(run_counted_epoch(*set, *first, 1));
  EXPECT_EQ(first->growth_bytes(), 50'000u - first->state().held_bytes);
  EXPECT_LT(first->growth_bytes(), 2000u);
  const auto open = [&](const TempFolder& in, uint64_t bytes) {
    return SampleCache::open(
        set, {.bytes = bytes, .share = true, .folder = in.path(), .memory = 10'000});
  };
  const auto second = open(folder, 50'000);
  ASSERT_TRUE(second.ok()) << second.error().message;
  EXPECT_TRUE((*second)->state().joined);
  EXPECT_EQ((*second)->growth_bytes(), first->growth_bytes());
  const auto begun = open(other, 50'000);
  ASSERT_FALSE(begun.ok());
  EXPECT_THAT(begun.error().message, HasSubstr("50 kB: 10 kB of memory are left"));
  EXPECT_EQ(files_in(other.path()), 0u);
  // Of a size beyond the set no more than the set is ever taken.
  EXPECT_EQ(open_shared(set, other.path(), uint64_t{1} << 40)->growth_bytes(), set->all_bytes());
}

TEST(CacheSharing, TheLastOneTakesItAway) {
  const TempFolder folder;
  const auto set = std::make_shared<CountedSet>(100);
  auto first = open_shared(set, folder.path(), 10'000);
  auto second = open_shared(set, folder.path(), 10'000);  // a second user, in this process
  ASSERT_TRUE(run_counted_epoch(*set, *first, 1));
  first.reset();
  EXPECT_EQ(files_in(folder.path()), 1u);
  RawSample sample;
  EXPECT_GT(second->state().held_samples, 5);
  ASSERT_TRUE(run_counted_epoch(*set, *second, 1));
  second.reset();
  EXPECT_EQ(files_in(folder.path()), 0u);
}

TEST(CacheSharing, OtherFilesAreAnotherCache) {
  const TempFolder folder;
  const auto a = open_shared(std::make_shared<CountedSet>(100), folder.path(), 10'000);
  const auto b = open_shared(std::make_shared<CountedSet>(101), folder.path(), 10'000);
  EXPECT_FALSE(b->state().joined);
  EXPECT_EQ(files_in(folder.path()), 2u);
}

TEST(CacheSharing, TwoAtOnceReadEachSampleOnceBetweenThem) {
  const TempFolder folder;
  const auto set = std::make_shared<CountedSet>(20'000);
  const auto cache = open_shared(set, folder.path(), set->all_bytes());
  std::vector<pid_t> children;
  for (int i = 0; i < 2; ++i)
    children.push_back(start([&, i] {
      const auto own = std::make_shared<CountedSet>(20'000);
      const auto joined = open_shared(own, folder.path(), 1);
      return run_counted_epoch(*own, *joined, static_cast<uint64_t>(i)) &&
                     run_counted_epoch(*own, *joined, static_cast<uint64_t>(i) + 7)
                 ? 0
                 : 1;
    }));
  for (const pid_t child : children) EXPECT_EQ(end_of(child), 0);
  // No place was given twice or lost: all is held in just the bytes that it has.
  EXPECT_EQ(cache->state().held_samples, 20'000);
  EXPECT_EQ(cache->state().held_bytes, set->all_bytes());
  EXPECT_TRUE(run_counted_epoch(*set, *cache, 3));
  EXPECT_EQ(set->fetched_, 0);
}

// As trainings of one seed do, that run side by side: both want what the other is about to keep.
TEST(CacheSharing, TwoInOneOrderLoseNoRoom) {
  const TempFolder folder;
  for (uint64_t round = 0; round < 3; ++round) {
    const auto set = std::make_shared<CountedSet>(20'000);
    const auto cache = open_shared(set, folder.path(), set->all_bytes());
    std::vector<pid_t> children;
    for (int i = 0; i < 2; ++i)
      children.push_back(start([&] {
        const auto own = std::make_shared<CountedSet>(20'000);
        return run_counted_epoch(*own, *open_shared(own, folder.path(), 1), round) ? 0 : 1;
      }));
    for (const pid_t child : children) EXPECT_EQ(end_of(child), 0);
    EXPECT_EQ(cache->state().held_samples, 20'000);
    EXPECT_EQ(cache->state().held_bytes, set->all_bytes());
  }
}

TEST(CacheSharing, ItOutlivesAKilledOne) {
  const TempFolder folder;
  const auto set = std::make_shared<CountedSet>(3000);
  const auto cache = open_shared(set, folder.path(), set->all_bytes() / 2);
  for (int round = 0; round < 40; ++round) {
    const pid_t child = start([&] {
      const auto joined = open_shared(set, folder.path(), 1);
      for (uint64_t epoch = 0;; ++epoch)
        if (!run_counted_epoch(*set, *joined, epoch)) return 1;
    });
    std::this_thread::sleep_for(std::chrono::microseconds(200 + 500 * round));
    kill_it(child);
    EXPECT_EQ(cache->state().users, 1);
  }
  // What the dead were writing is taken over: it fills as if nobody had died.
  ASSERT_TRUE(run_counted_epoch(*set, *cache, 1));
  ASSERT_TRUE(run_counted_epoch(*set, *cache, 2));
  uint64_t held = 0;
  RawSample sample;
  for (int64_t index = 0; index < set->size(); ++index)
    if (cache->lend(index, sample)) held += sample.bytes.size();
  EXPECT_NEAR(static_cast<double>(held), static_cast<double>(set->all_bytes()) / 2, 3000);
}

// Samples so large that their writer can be killed in the middle of one.
class LargeSet final : public Dataset {
 public:
  std::string kind() const override { return "large"; }
  int64_t size() const override { return 4; }
  int64_t classes() const override { return 4; }
  std::array<int, 3> shape() const override { return {1, 0, 0}; }
  Status fetch(int64_t index, RawSample& sample) const override {
    sample.label = index;
    sample.bytes.resize(64 << 20);
    return {};
  }
  std::string name(int64_t) const override { return "sample"; }
  fs::path own_file(int64_t) const override { return {}; }
  std::vector<fs::path> files() const override { return {}; }
};

TEST(CacheSharing, ASampleThatWasHalfWrittenIsWrittenAnew) {
  const TempFolder folder;
  const auto set = std::make_shared<LargeSet>();
  const auto open = [&] {
    return *SampleCache::open(set, {.bytes = 64 << 20, .share = true, .folder = folder.path()});
  };
  const auto cache = open();
  RawSample sample;
  ASSERT_TRUE(set->fetch(2, sample).ok());
  const pid_t child = start([&] {
    open()->keep(2, sample);  // takes tens of milliseconds
    return 0;
  });
  const Stopwatch watch;
  while (cache->state().held_bytes == 0 && watch.seconds() < 60) std::this_thread::yield();
  ::kill(child, SIGKILL);
  const int end = end_of(child);
  EXPECT_TRUE(end == 0 || end == 128 + SIGKILL) << end;
  if (cache->state().held_samples > 0) GTEST_SKIP() << "it was written before it was killed";
  RawSample found;
  EXPECT_FALSE(cache->lend(2, found));  // never half of it
  // All the room there is belongs to it: the next one takes the same.
  ASSERT_TRUE(cache->keep(2, sample));
  ASSERT_TRUE(cache->lend(2, found));
  EXPECT_EQ(found.bytes.size(), sample.bytes.size());
  EXPECT_EQ(cache->state().held_bytes, uint64_t{64} << 20);
}

TEST(CacheSharing, TheNextStartCleansUpWhateverWasKilled) {
  const TempFolder folder;
  for (int round = 0; round < 30; ++round) {
    const int64_t samples = 100 + 50 * (round % 3);  // of three sets in turn
    const pid_t child = start([&] {
      const auto set = std::make_shared<CountedSet>(samples);
      while (true) {  // opens, fills and leaves, again and again
        const auto cache = open_shared(set, folder.path(), 50'000);
        if (!run_counted_epoch(*set, *cache, 1)) return 1;
      }
    });
    std::this_thread::sleep_for(std::chrono::microseconds(100 + 333 * round));
    kill_it(child);
  }
  const auto set = std::make_shared<CountedSet>(100);
  auto cache = open_shared(set, folder.path(), 50'000);
  EXPECT_EQ(files_in(folder.path()), 1u);
  EXPECT_FALSE(cache->state().joined);
  EXPECT_EQ(cache->state().held_samples, 0);
  cache.reset();
  EXPECT_EQ(files_in(folder.path()), 0u);
}

// The name of the file that a cache of this set has.
fs::path file_of(const std::shared_ptr<CountedSet>& set, const fs::path& folder) {
  const auto cache = open_shared(set, folder, 1000);
  return fs::directory_iterator(folder)->path();
}

TEST(CacheSharing, NothingThatOthersMayWriteIsTrusted) {
  const TempFolder folder;
  const auto set = std::make_shared<CountedSet>(100);
  const fs::path file = file_of(set, folder.path());
  const auto refused = [&](const std::string& why) {
    const auto cache = open_shared(set, folder.path(), 50'000);
    EXPECT_FALSE(cache->state().shared);
    EXPECT_THAT(cache->state().note, HasSubstr(why));
    EXPECT_TRUE(run_counted_epoch(*set, *cache, 1));
    EXPECT_GT(cache->state().held_samples, 30);
  };
  ASSERT_TRUE(write_file(file, std::string(100'000, 'x')).ok());
  ASSERT_EQ(::chmod(file.c_str(), 0666), 0);
  refused("is not this user's alone");
  ASSERT_EQ(::chmod(file.c_str(), 0600), 0);
  if (::geteuid() == 0) {
    ASSERT_EQ(::chown(file.c_str(), 1234, 1234), 0);
    refused("owner 1234");
  }
  fs::remove(file);
  const fs::path elsewhere = folder / "elsewhere";
  ASSERT_TRUE(write_file(elsewhere, "mine").ok());
  fs::create_symlink(elsewhere, file);
  refused("symbolic links");
  EXPECT_EQ(*read_file(elsewhere), "mine");
  fs::remove(file);
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  refused("is not this user's alone");
}

TEST(CacheSharing, GarbageOfOnesOwnIsBegunAnew) {
  const TempFolder folder;
  const auto set = std::make_shared<CountedSet>(100);
  const fs::path file = file_of(set, folder.path());
  for (const size_t bytes : {0, 10, 5000, 1'000'000}) {
    ASSERT_TRUE(write_file(file, std::string(bytes, 'x')).ok());
    ASSERT_EQ(::chmod(file.c_str(), 0600), 0);
    const auto cache = open_shared(set, folder.path(), 1'000'000);
    EXPECT_TRUE(cache->state().shared) << cache->state().note;
    EXPECT_TRUE(run_counted_epoch(*set, *cache, 1));
    EXPECT_TRUE(run_counted_epoch(*set, *cache, 2));
    EXPECT_EQ(cache->state().held_samples, 100);
  }
}

TEST(CacheSharing, AFolderThatIsNotThereIsNoReasonToFail) {
  const auto set = std::make_shared<CountedSet>(100);
  const auto cache = open_shared(set, "/no/such/folder", 50'000);
  EXPECT_FALSE(cache->state().shared);
  EXPECT_THAT(cache->state().note, HasSubstr("not shared"));
  EXPECT_TRUE(run_counted_epoch(*set, *cache, 1));
}

// On a file system of 2 MiB. Writing to a page that it cannot give ends a program by SIGBUS.
TEST(CacheSharing, AFullFileSystemIsNoSignal) {
  const TempFolder folder;
  const int answer = end_of(start([&] {
    if (::unshare(CLONE_NEWNS) != 0 || ::mount("", "/", "", MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("tmpfs", folder.path().c_str(), "tmpfs", 0, "size=2m") != 0)
      return 77;
    const auto set = std::make_shared<CountedSet>(5000);  // 5 MB
    const auto cache = open_shared(set, folder.path(), set->all_bytes());
    for (uint64_t epoch = 0; epoch < 3; ++epoch)
      if (!run_counted_epoch(*set, *cache, epoch)) return 1;
    const CacheState state = cache->state();
    if (!state.shared || state.held_bytes > 2 << 20 || state.held_bytes < 1 << 20) return 2;
    if (state.note.find("stopped growing") == std::string::npos) return 3;
    // Without room for its bookkeeping it is not shared.
    const auto huge = std::make_shared<CountedSet>(100'000);
    const auto own = open_shared(huge, folder.path(), 1'000'000);
    if (own->state().shared || own->state().note.find("No space") == std::string::npos) return 4;
    return run_counted_epoch(*huge, *own, 1) && own->state().held_samples > 500 ? 0 : 5;
  }));
  if (answer == 77) GTEST_SKIP() << "a file system of one's own needs root";
  EXPECT_EQ(answer, 0);
}

}  // namespace
}  // namespace flyball
