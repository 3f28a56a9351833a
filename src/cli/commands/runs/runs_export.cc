#include "cli/commands/runs/runs_export.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>

#include "base/files.h"
#include "base/os/temp_folder.h"
#include "cli/action.h"
#include "cli/common_options.h"
#include "cli/stored.h"
#include "store/store_database.h"

namespace flyball::cli {
namespace {

Status write_out(const std::filesystem::path& file) {
  std::ifstream input(file, std::ios::binary);
  std::array<char, 64 << 10> bytes;
  while (input) {
    input.read(bytes.data(), bytes.size());
    for (std::streamsize at = 0, size = input.gcount(); at < size;) {
      const ssize_t count =
          ::write(STDOUT_FILENO, bytes.data() + at, static_cast<size_t>(size - at));
      if (count < 0 && errno != EINTR) return file_error("write to", "stdout", errno);
      if (count > 0) at += count;
    }
  }
  if (!input.eof()) return file_error("read", file, EIO);
  return {};
}

Status copy_out(Database& database, const TempFolder& folder) {
  const std::filesystem::path copy = folder / "store.db";
  FLYBALL_CHECK(database.run("VACUUM INTO ?", {copy.string()}));
  FLYBALL_CHECK(settle_running_runs(copy));
  return write_out(copy);
}

Status run(const std::string& place) {
  if (::isatty(STDOUT_FILENO))
    return Error{Code::invalid_argument, "the store is bytes, which a terminal does not show",
                 "send it into a file: flyball runs export > copy.db"};
  const std::filesystem::path named = store_place(place);
  FLYBALL_ASSIGN(Database database, open_store_database_to_read(named, {.create = false}));
  if (database.kind() != DatabaseKind::sqlite)
    return Error{Code::invalid_argument, named.string() + " is no file", "pg_dump copies it"};
  // Beside the store there is room for it more often than in /tmp, which may be memory.
  const auto beside = TempFolder::make(std::filesystem::absolute(database.path()).parent_path());
  if (beside) return copy_out(database, *beside);
  FLYBALL_ASSIGN(const TempFolder folder, TempFolder::make());
  return copy_out(database, folder);
}

}  // namespace

void add_runs_export(CLI::App& runs, Context& context) {
  CLI::App* command = runs.add_subcommand(
      "export", "Write a consistent copy of the store to stdout, while others write to it");
  auto place = std::make_shared<std::string>();
  add_store_option(*command, *place);
  command->footer("Example:\n  flyball runs export > copy.db");
  set_action(*command, context, [place] { return run(*place); });
}

}  // namespace flyball::cli
