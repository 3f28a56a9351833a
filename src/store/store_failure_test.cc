// What a user meets on a bad day: each failure is one clear line, and nothing that was stored is
// lost.
#include <gmock/gmock.h>
#include <sqlite3.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "base/files.h"
#include "base/os/temp_folder.h"
#include "sql/page_checksums.h"
#include "store/sample_testing.h"
#include "store/store.h"

namespace flyball {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

// Another connection to the same file, as a second program would have.
class Intruder {
 public:
  explicit Intruder(const std::filesystem::path& path) {
    EXPECT_EQ(
        sqlite3_open_v2(path.c_str(), &connection_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                        checksummed_file_system()),
        SQLITE_OK);
  }
  ~Intruder() { sqlite3_close(connection_); }
  void run(const char* sql) {
    EXPECT_EQ(sqlite3_exec(connection_, sql, nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(connection_);
  }

 private:
  sqlite3* connection_ = nullptr;
};

// Root may write anywhere: the tests of permissions run as nobody.
class AsNobody {
 public:
  AsNobody() {
    if (::geteuid() == 0) changed_ = ::seteuid(65534) == 0;
  }
  ~AsNobody() {
    if (changed_ && ::seteuid(0) != 0) std::abort();
  }

 private:
  bool changed_ = false;
};

class StoreFailure : public testing::Test {
 protected:
  StoreFailure() {
    ::chmod(folder_.path().c_str(), 0755);
    auto store = Store::open(file_);
    EXPECT_TRUE(store.ok() && store->add_measurement(sample_measurement(0)).ok());
  }
  Error error_of_open() {
    const auto store = Store::open(file_, {.busy_timeout_ms = 50, .max_pages = 0});
    EXPECT_FALSE(store.ok());
    return store.ok() ? Error() : store.error();
  }
  size_t stored() { return Store::open(file_)->measurements({})->size(); }
  std::string content() { return read_file(file_).value(); }

  TempFolder folder_;
  std::filesystem::path file_ = folder_ / "store.db";
};

TEST_F(StoreFailure, TwoWritersAtOnce) {
  auto store = Store::open(file_, {.busy_timeout_ms = 50, .max_pages = 0});
  ASSERT_TRUE(store.ok());
  {
    Intruder other(file_);
    other.run("BEGIN IMMEDIATE; DELETE FROM run_measurements");
    const auto added = store->add_measurement(sample_measurement(1));
    ASSERT_FALSE(added.ok());
    EXPECT_EQ(added.error().code, Code::conflict);
    EXPECT_THAT(added.error().message, HasSubstr("is being written by"));
    EXPECT_THAT(added.error().message, HasSubstr(file_.string()));
    EXPECT_FALSE(added.error().hint.empty());
    EXPECT_THAT(store->measurements({}).value(), SizeIs(1)) << "reading goes on";
  }
  EXPECT_TRUE(store->add_measurement(sample_measurement(1)).ok());
  EXPECT_EQ(stored(), 2u);
}

void expect_full(Store& store, size_t& kept) {
  Error error;
  for (int i = 1; i < 2000 && error.message.empty(); ++i) {
    const auto added = store.add_measurement(sample_measurement(i, 400));
    if (added.ok()) ++kept;
    if (!added.ok()) error = added.error();
  }
  EXPECT_EQ(error.code, Code::io);
  EXPECT_THAT(error.message, HasSubstr("no space left for the store"));
  EXPECT_THAT(error.hint, HasSubstr("free some disk space"));
}

TEST_F(StoreFailure, AFullFile) {
  size_t kept = 1;
  {
    auto store = Store::open(file_, {.busy_timeout_ms = 50, .max_pages = 60});
    ASSERT_TRUE(store.ok());
    expect_full(*store, kept);
    EXPECT_GT(kept, 5u);
    EXPECT_THAT(store->measurements({}).value(), SizeIs(kept));
    EXPECT_TRUE(store->check().ok());
  }
  EXPECT_EQ(stored(), kept);
  EXPECT_TRUE(Store::open(file_)->add_measurement(sample_measurement(1)).ok())
      << "with space again, it goes on";
}

// A file system of its own, in memory.
class SmallDisk {
 public:
  explicit SmallDisk(const std::filesystem::path& folder, const char* size = "size=512k")
      : folder_(folder) {
    std::filesystem::create_directory(folder);
    mounted_ = ::mount("none", folder.c_str(), "tmpfs", 0, size) == 0;
  }
  ~SmallDisk() {
    if (mounted_) {
      EXPECT_EQ(::umount2(folder_.c_str(), MNT_DETACH), 0);
    }
  }
  bool mounted() const { return mounted_; }
  void fill() const {
    std::ofstream filler(folder_ / "filler", std::ios::binary);
    const std::string block(4096, 'x');
    while (filler.write(block.data(), 4096).flush()) continue;
  }

 private:
  std::filesystem::path folder_;
  bool mounted_ = false;
};

TEST_F(StoreFailure, AFullDisk) {
  const SmallDisk disk(folder_ / "disk");
  if (!disk.mounted()) GTEST_SKIP() << "mounting a small disk needs root";
  size_t kept = 0;
  auto store = Store::open(folder_ / "disk");
  ASSERT_TRUE(store.ok());
  expect_full(*store, kept);
  EXPECT_GT(kept, 5u);
  EXPECT_TRUE(store->check().ok());
  const auto left = store->measurements({});
  EXPECT_TRUE(left.ok() && left->size() == kept);
}

// The tables are made step by step: what stands there after a few of them is no older store.
TEST_F(StoreFailure, ADiskThatIsFullBeforeAllTablesAreMadeIsSaidToBeFull) {
  const SmallDisk disk(folder_ / "disk", "size=160k");
  if (!disk.mounted()) GTEST_SKIP() << "mounting a small disk needs root";
  const auto file = folder_ / "disk/store.db";
  const auto full = HasSubstr("no space left for the store");
  const auto made = Store::open(file);
  ASSERT_FALSE(made.ok());
  EXPECT_THAT(made.error().message, full);
  const auto read = Store::open_to_read(file);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().code, Code::io);
  EXPECT_THAT(read.error().message, full);
}

TEST_F(StoreFailure, AFullDiskIsReadAllTheSame) {
  const SmallDisk disk(folder_ / "disk");
  if (!disk.mounted()) GTEST_SKIP() << "mounting a small disk needs root";
  const auto file = folder_ / "disk/store.db";
  ASSERT_TRUE(Store::open(file)->add_measurement(sample_measurement(1)).ok());
  disk.fill();
  auto store = Store::open_to_read(file);
  ASSERT_TRUE(store.ok()) << store.error().message;
  EXPECT_THAT(store->measurements({}).value(), SizeIs(1));
  EXPECT_FALSE(store->add_measurement(sample_measurement(2)).ok());
  const auto written = Store::open(file);
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().code, Code::io);
  EXPECT_THAT(written.error().hint, HasSubstr("free some disk space"));
}

// The files as a killed writer leaves them: the latest changes are in the log alone.
TEST_F(StoreFailure, AFullDiskIsReadWithTheLogOfAKilledWriter) {
  const SmallDisk disk(folder_ / "disk");
  if (!disk.mounted()) GTEST_SKIP() << "mounting a small disk needs root";
  const auto file = folder_ / "disk/store.db";
  {
    auto writer = Store::open(file_);
    ASSERT_TRUE(writer.ok() && writer->add_measurement(sample_measurement(1)).ok());
    std::filesystem::copy_file(file_, file);
    std::filesystem::copy_file(file_.string() + "-wal", file.string() + "-wal");
  }
  disk.fill();
  const std::string log = read_file(file.string() + "-wal").value();
  {
    auto store = Store::open_to_read(file);
    ASSERT_TRUE(store.ok()) << store.error().message;
    EXPECT_THAT(store->measurements({}).value(), SizeIs(2));
  }
  EXPECT_EQ(read_file(file.string() + "-wal").value(), log);
}

TEST_F(StoreFailure, AReadOnlyFolder) {
  ::chmod(folder_.path().c_str(), 0555);
  const AsNobody nobody;
  const Error error = error_of_open();
  EXPECT_EQ(error.code, Code::permission);
  EXPECT_THAT(error.message, HasSubstr("cannot write into the folder of the store"));
  EXPECT_THAT(error.message, HasSubstr(folder_.path().string()));
  EXPECT_FALSE(error.hint.empty());
}

TEST_F(StoreFailure, AReadOnlyFile) {
  ::chmod(file_.c_str(), 0444);
  ::chmod(folder_.path().c_str(), 0777);
  const AsNobody nobody;
  const Error error = error_of_open();
  EXPECT_EQ(error.code, Code::permission);
  EXPECT_THAT(error.message, HasSubstr("cannot write to the store " + file_.string()));
}

TEST_F(StoreFailure, WhatMayOnlyBeReadIsShownAsItStands) {
  for (const bool folder_too : {false, true}) {
    ::chmod(file_.c_str(), 0444);
    ::chmod(folder_.path().c_str(), folder_too ? 0555 : 0777);
    const AsNobody nobody;
    auto store = Store::open_to_read(file_);
    ASSERT_TRUE(store.ok()) << store.error().message;
    EXPECT_THAT(*store->measurements({}), SizeIs(1));
    EXPECT_TRUE(store->runs().ok());
    const auto written = store->add_measurement(sample_measurement(1));
    ASSERT_FALSE(written.ok());
    EXPECT_EQ(written.error().code, Code::permission);
  }
}

TEST_F(StoreFailure, ALogThatOnlyAWriterCanTakeInIsSaid) {
  std::ofstream(file_.string() + "-wal") << "changes";
  ::chmod(folder_.path().c_str(), 0555);
  ::chmod(file_.c_str(), 0444);
  const AsNobody nobody;
  const auto store = Store::open_to_read(file_);
  ASSERT_FALSE(store.ok());
  EXPECT_THAT(store.error().message, HasSubstr("-wal"));
  EXPECT_THAT(store.error().hint, HasSubstr("copy both"));
}

TEST_F(StoreFailure, AFolderThatCannotBeMade) {
  std::ofstream(folder_ / "file") << "in the way";
  file_ = folder_ / "file/deeper/store.db";
  EXPECT_THAT(error_of_open().message, HasSubstr("cannot create the folder of the store"));
}

TEST_F(StoreFailure, ADamagedFileIsLeftAsItIs) {
  const std::string sound = content();
  for (const std::string& damaged :
       {std::string(8192, '\0') + sound.substr(8192), sound.substr(0, 16) + std::string(4000, 'x'),
        sound.substr(0, sound.size() / 2)}) {
    ASSERT_TRUE(write_file(file_, damaged).ok());
    auto store = Store::open(file_);
    Status status;
    if (store.ok())
      status = store->check();
    else
      status = store.error();
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code, Code::corrupt) << status.error().message;
    EXPECT_THAT(status.error().message, HasSubstr(file_.string()));
    EXPECT_THAT(status.error().hint, HasSubstr("left as it is; move it away"));
    EXPECT_EQ(content(), damaged);
  }
}

// Whose hint is followed must not lose a file of his own.
TEST_F(StoreFailure, AFileOfAnotherKindIsNoStoreAndStaysWhereItIs) {
  const std::string script = "import flyball\nprint('no store')\n";
  ASSERT_TRUE(write_file(file_, script).ok());
  const Error error = error_of_open();
  EXPECT_EQ(error.code, Code::corrupt);
  EXPECT_THAT(error.message, HasSubstr(file_.string() + " is no store"));
  EXPECT_THAT(error.hint, HasSubstr("--store"));
  EXPECT_THAT(error.hint, Not(HasSubstr("mv ")));
  EXPECT_EQ(content(), script);
}

TEST_F(StoreFailure, ADamagedPageIsFoundWhenItIsRead) {
  {
    std::vector<Measurement> many;
    for (int i = 1; i < 200; ++i) many.push_back(sample_measurement(i));
    ASSERT_TRUE(Store::open(file_)->add_measurements(many).ok());
  }
  std::string damaged = content();  // the schema lies on the first pages
  for (size_t page = 32; page * 4096 < damaged.size(); ++page)
    damaged.replace(page * 4096, 100, std::string(100, '\xa5'));
  ASSERT_TRUE(write_file(file_, damaged).ok());
  EXPECT_EQ(error_of_open().code, Code::corrupt);
  // As one that is too large to be checked when it is opened.
  auto store = Store::open(file_, {.checked_bytes = 0});
  ASSERT_TRUE(store.ok()) << store.error().message;
  const auto read = store->measurements({});
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().code, Code::corrupt);
  EXPECT_EQ(store->check().error().code, Code::corrupt);
  EXPECT_EQ(content(), damaged);
}

TEST_F(StoreFailure, WhatIsNoFileIsNamed) {
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  const AsNobody nobody;
  for (const auto& place : {std::filesystem::path("/dev/null"), folder_ / "pipe"})
    for (const auto open : {Store::open, Store::open_to_read}) {
      const auto store = open(place, {});
      ASSERT_FALSE(store.ok());
      EXPECT_EQ(store.error().message,
                "the store " + place.string() + " is a pipe or a device, not a file");
      EXPECT_THAT(store.error().hint, HasSubstr("name a file"));
    }
}

TEST_F(StoreFailure, ALogLeftBehindOfALargeFileAsksForACheck) {
  const auto left = folder_ / "left.db";
  {
    auto writer = Store::open(file_);
    ASSERT_TRUE(writer.ok() && writer->add_measurement(sample_measurement(1)).ok());
    EXPECT_FALSE(Store::open(file_, {.checked_bytes = 0})->wants_check()) << "it is in use";
    std::filesystem::copy_file(file_, left);
    std::filesystem::copy_file(file_.string() + "-wal", left.string() + "-wal");
  }
  EXPECT_TRUE(Store::open(left, {.checked_bytes = 0})->wants_check());
  EXPECT_FALSE(Store::open(left, {.checked_bytes = 0})->wants_check()) << "it was taken in";
}

TEST_F(StoreFailure, ANewerVersion) {
  Intruder(file_).run("PRAGMA user_version = 99");
  const std::string before = content();
  const Error error = error_of_open();
  EXPECT_EQ(error.code, Code::conflict);
  EXPECT_THAT(error.message, HasSubstr("newer Flyball (version 99"));
  EXPECT_THAT(error.hint, HasSubstr("update Flyball"));
  EXPECT_EQ(content(), before);
}

TEST_F(StoreFailure, SomebodyElsesDatabase) {
  file_ = folder_ / "other.db";
  Intruder(file_).run("CREATE TABLE cats(name TEXT); INSERT INTO cats VALUES('Tom')");
  const std::string before = content();
  EXPECT_THAT(error_of_open().message, HasSubstr("not a store of Flyball"));
  EXPECT_EQ(content(), before);
}

TEST_F(StoreFailure, ATimeThatIsNotFinite) {
  Measurement m = sample_measurement(1);
  m.minibatches[3].e2e_ms = std::numeric_limits<double>::infinity();
  const auto added = Store::open(file_)->add_measurement(m);
  ASSERT_FALSE(added.ok());
  EXPECT_EQ(added.error().code, Code::invalid_argument);
  EXPECT_EQ(stored(), 1u);
}

}  // namespace
}  // namespace flyball
