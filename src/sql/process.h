// Who else uses the store.
#pragma once

#include <filesystem>
#include <string>

namespace flyball {

/// This process, such that no later one is taken for it: boot id, namespace of process ids (a
/// container has its own), process id and start time.
std::string process_identity();
/// Does the process of that identity still run, on this boot of this machine? One of a namespace
/// that cannot be seen from here, as of another container, is not called dead.
bool is_running(const std::string& identity);
/// Stands in a copy for the process of what ran when it was made: whether it runs now, nobody who
/// reads the copy elsewhere can see.
inline constexpr const char* ran_when_copied = "ran when this was copied";
/// The process that holds the write lock of an SQLite database in WAL mode, as a person reads it:
/// "flyball tune lenet5 (process 4711)", or "another process" where /proc does not tell.
std::string lock_holder(const std::filesystem::path& database);
/// Has any process that /proc shows an SQLite database in WAL mode open?
bool is_open(const std::filesystem::path& database);

}  // namespace flyball
