// A store's database, opened with its tables as this version knows them; for who reads or writes
// its rows as they are (store.h, collect/).
#pragma once

#include <filesystem>

#include "sql/database.h"
#include "store/store.h"

namespace flyball {

/// As Store::open(). `words`: of a store that another option than --store names.
Result<Database> open_store_database(const std::filesystem::path& place,
                                     const StoreOptions& options, const FileWords& words = {});
/// As Store::open_to_read().
Result<Database> open_store_database_to_read(const std::filesystem::path& place,
                                             const StoreOptions& options);
/// A store in PostgreSQL, to write to it; its tables are made, or brought up to date, where this
/// user may do so.
Result<Database> open_postgres_store(const std::string& place);

/// Is the file checked whenever it is opened?
bool is_quickly_checked(const std::filesystem::path& file, int64_t limit);

/// In a copy of a store that may leave this machine: runs that go on are marked as such
/// (ran_when_copied), those whose process was killed are interrupted.
Status settle_running_runs(const std::filesystem::path& copy);

}  // namespace flyball
