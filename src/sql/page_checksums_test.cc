#include "sql/page_checksums.h"

#include <gmock/gmock.h>
#include <sqlite3.h>

#include "base/files.h"
#include "base/os/temp_folder.h"
#include "base/random.h"
#include "sql/database.h"

namespace flyball {
namespace {

using testing::HasSubstr;

int choose(Random& random, int end) {
  return std::min(end - 1, static_cast<int>(random.uniform(0, end)));
}

class PageChecksums : public testing::Test {
 protected:
  Database open() {
    auto database = Database::open(file_, {});
    EXPECT_TRUE(database.ok()) << database.error().message;
    return std::move(*database);
  }
  static void run(Database& database, const std::string& sql) {
    const Status status = database.run_script(sql.c_str());
    EXPECT_TRUE(status.ok()) << sql << ": " << status.error().message;
  }
  std::string content() const { return read_file(file_).value(); }

  TempFolder folder_;
  std::filesystem::path file_ = folder_ / "store.db";
};

TEST_F(PageChecksums, ANewFileReservesThem) {
  {
    Database database = open();
    run(database, "CREATE TABLE t(x)");
  }
  EXPECT_EQ(content()[20], page_checksum_bytes);
  EXPECT_TRUE(open().check(true).ok());
}

TEST_F(PageChecksums, AFileOfAnEarlierVersionStaysAsItIs) {
  sqlite3* plain = nullptr;
  ASSERT_EQ(sqlite3_open(file_.c_str(), &plain), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(plain, "CREATE TABLE t(x)", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(plain);
  for (int i = 0; i < 3; ++i) {
    Database database = open();
    run(database, "INSERT INTO t VALUES(randomblob(9000))");
    EXPECT_TRUE(database.use_wal().ok());
    EXPECT_TRUE(database.check(true).ok());
  }
  EXPECT_EQ(content()[20], 0);
}

// In a page of a value that no structure of the file depends on.
TEST_F(PageChecksums, AChangedByteIsSaidWithItsPage) {
  {
    Database database = open();
    run(database, "CREATE TABLE t(x); INSERT INTO t VALUES(zeroblob(40000))");
  }
  std::string bytes = content();
  bytes[5 * 4096 + 2000] ^= 1;
  ASSERT_TRUE(write_file(file_, bytes).ok());
  Database database = open();
  EXPECT_TRUE(database.integer("SELECT COUNT(*) FROM t").ok()) << "another page";
  const Status read = database.run("SELECT x FROM t");
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().code, Code::corrupt);
  EXPECT_THAT(read.error().message, HasSubstr("page 6 (of 4096 bytes) contradicts its checksum"));
  EXPECT_EQ(database.run_script("INSERT INTO t VALUES(1)").error().message, read.error().message);
  EXPECT_FALSE(Transaction::begin(database).ok());
}

// As `sqlite3 store.db` does when it closes a store whose writer was killed.
TEST_F(PageChecksums, AnotherProgramMayTakeTheLogIntoTheFile) {
  {
    Database database = open();
    EXPECT_TRUE(database.use_wal().ok());
    run(database, "CREATE TABLE t(x); INSERT INTO t VALUES(randomblob(30000))");
  }
  for (int i = 0; i < 3; ++i) {
    Database database = open();
    run(database, "UPDATE t SET x = randomblob(31000); INSERT INTO t VALUES(randomblob(9000))");
    sqlite3* other = nullptr;
    ASSERT_EQ(sqlite3_open(file_.c_str(), &other), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(other, "SELECT COUNT(*) FROM t; PRAGMA wal_checkpoint(TRUNCATE)",
                           nullptr, nullptr, nullptr),
              SQLITE_OK);
    sqlite3_close(other);
    EXPECT_TRUE(database.check(true).ok());
    EXPECT_TRUE(open().check(true).ok());
  }
}

// Pages that become free and are taken again, changes that are undone, values over many pages.
TEST_F(PageChecksums, HoldWhateverIsWritten) {
  Random random(5);
  for (int session = 0; session < 6; ++session) {
    Database database = open(), reader = open();
    run(database,
        "CREATE TABLE IF NOT EXISTS t(id INTEGER PRIMARY KEY, x); CREATE INDEX IF NOT "
        "EXISTS by_x ON t(substr(x, 1, 20)); PRAGMA cache_size=20; PRAGMA synchronous=OFF");
    if (session % 3 != 0) {
      EXPECT_TRUE(database.use_wal().ok());
    }
    if (session % 3 == 2) run(database, "PRAGMA wal_autocheckpoint=3");
    for (int i = 0; i < 60; ++i) {
      run(database, "BEGIN IMMEDIATE");
      for (int change = choose(random, 6); change >= 0; --change)
        run(database, choose(random, 2) == 0
                          ? "DELETE FROM t WHERE id % 7 = " + std::to_string(choose(random, 7))
                          : "INSERT INTO t(x) VALUES(randomblob(" +
                                std::to_string(choose(random, 30000)) + "))");
      if (choose(random, 4) == 0) run(database, "SAVEPOINT s; DELETE FROM t; ROLLBACK TO s");
      run(database, choose(random, 4) == 0 ? "ROLLBACK" : "COMMIT");
      EXPECT_TRUE(reader.run("SELECT SUM(length(x)) FROM t").ok());
    }
    EXPECT_TRUE(database.check(true).ok());
    if (session == 4) run(database, "VACUUM");
  }
  EXPECT_TRUE(open().check(true).ok());
}

}  // namespace
}  // namespace flyball
