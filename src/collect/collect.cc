#include "collect/collect.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>

#include "base/clock.h"
#include "base/os/interrupt.h"
#include "collect/source.h"
#include "collect/store_copy.h"
#include "store/store_database.h"

namespace flyball {
namespace {

constexpr double patience_s = 60;  // without a row that was written, until it is given up

constexpr FileWords target_words = {
    .made_by = "name another file with --into; one that is not there is made",
    .or_another = ", or choose another one with --into"};

Result<Database> open_target(const std::string& place) {
  if (names_postgres(place)) return open_postgres_store(place);
  return open_store_database(place, {}, target_words);
}

// Opening an empty file would make a store of it, and what is none at all is not damaged.
Status check_source(const std::filesystem::path& place) {
  constexpr std::string_view header = "SQLite format 3";
  const std::filesystem::path file = Store::file_of(place);
  std::error_code ignored;
  if (names_postgres(place.string()) || !std::filesystem::is_regular_file(file, ignored)) return {};
  std::ifstream input(file, std::ios::binary);
  if (!input) return {};  // opening it says why
  std::array<char, header.size()> start{};
  input.read(start.data(), start.size());
  if (std::string_view(start.data(), start.size()) == header) return {};
  return Error{Code::invalid_argument,
               std::filesystem::file_size(file, ignored) == 0
                   ? fmt::format("{} is empty: a copy that failed?", file.string())
                   : fmt::format("{} is no store of Flyball", file.string()),
               "name a store: `flyball runs export > copy.db` makes a copy of one"};
}

// What it holds now, while others go on writing to it.
Result<Database> open_source(const std::filesystem::path& place) {
  FLYBALL_CHECK(check_source(place));
  FLYBALL_ASSIGN(Database source, open_store_database_to_read(place, {.create = false}));
  FLYBALL_CHECK(source.run_script(source.kind() == DatabaseKind::sqlite
                                      ? "PRAGMA trusted_schema=OFF; BEGIN"
                                      : "BEGIN ISOLATION LEVEL REPEATABLE READ"));
  return source;
}

// A file that is not there, and may be made: what keeps it from that opening it tells at once.
bool is_file_to_make(const std::string& place) {
  if (names_postgres(place) || looks_like_conninfo(place)) return false;
  std::error_code ignored;
  std::filesystem::path above = std::filesystem::absolute(Store::file_of(place), ignored);
  if (std::filesystem::exists(std::filesystem::symlink_status(above, ignored))) return false;
  while (above.has_relative_path() && !std::filesystem::exists(above, ignored))
    above = above.parent_path();
  return std::filesystem::is_directory(above, ignored) &&
         ::faccessat(AT_FDCWD, above.c_str(), W_OK | X_OK, AT_EACCESS) == 0;
}

bool answers(Database& database) {
  return database.run_script("SELECT 1").ok();
}

bool may_pass(const Error& error) {
  return error.code == Code::unavailable || error.code == Code::conflict;
}

size_t written(const Collected& collected) {
  return collected.measurements + collected.experiment_runs + collected.facts + collected.new_runs +
         collected.changed_runs;
}

}  // namespace

struct CollectTarget::Impl {
  std::string place;
  std::optional<Database> database;  // nothing: it is still to be made, or the connection is lost
  std::optional<Error> gone;         // it did not come back in time

  Status take_once(const std::filesystem::path& place_of_source, std::optional<Database>& source,
                   const std::string& name, const std::string& board, Collected& collected) {
    if (!source) {
      FLYBALL_ASSIGN(source, open_source(place_of_source));
    }
    if (!database) {
      FLYBALL_ASSIGN(database, open_target(place));
    }
    // What is known there already is counted anew in each attempt.
    const size_t before = collected.new_runs + collected.changed_runs;
    collected.known_runs = collected.running_runs = 0;
    FLYBALL_CHECK(StoreCopy(*source, *database, name, board, collected).copy());
    collected.known_runs -= std::min(collected.known_runs, before);
    return {};
  }
};

CollectTarget::CollectTarget(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
CollectTarget::CollectTarget(CollectTarget&&) noexcept = default;
CollectTarget::~CollectTarget() = default;

Result<CollectTarget> CollectTarget::open(const std::string& place) {
  FLYBALL_ASSIGN(Database database, open_target(place));
  return CollectTarget(std::unique_ptr<Impl>(new Impl{place, std::move(database), {}}));
}

Result<CollectTarget> CollectTarget::open_or_make_later(const std::string& place) {
  if (!is_file_to_make(place)) return open(place);
  return CollectTarget(std::unique_ptr<Impl>(new Impl{place, {}, {}}));
}

Result<Collected> CollectTarget::take(const std::string& source, const std::string& board) {
  if (impl_->gone) return *impl_->gone;
  FLYBALL_ASSIGN(const FetchedStore fetched, fetch_store(source));
  FLYBALL_ASSIGN(std::optional<Database> from, open_source(fetched.place));
  Collected collected;
  collected.source = source;
  Stopwatch idle;
  size_t last = 0;
  while (true) {
    const Status taken = impl_->take_once(fetched.place, from, source, board, collected);
    if (taken) return collected;
    if (!may_pass(taken.error()) || is_interrupted(&interrupt_flag())) return taken.error();
    if (written(collected) > last) idle = Stopwatch();
    last = written(collected);
    // What went away is opened again. Other sources may still be there.
    const bool source_there = from && answers(*from);
    if (!source_there)
      from.reset();
    else
      impl_->database.reset();
    if (idle.seconds() > patience_s) {
      if (source_there) impl_->gone = taken.error();
      return taken.error();
    }
    sleep_until_ns(monotonic_ns() + 500'000'000);
  }
}

}  // namespace flyball
