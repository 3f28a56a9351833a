#include "device/modes/rehearsal.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
#include "base/os/temp_folder.h"
#include "base/text.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

bool has_core_off(const fs::path& root) {
  const KnobPlace place{root};
  return std::ranges::any_of(present_cpus(place), [&](int cpu) { return !is_online(place, cpu); });
}

std::vector<std::string> notes_of(const BoardDevice& board, const fs::path& root) {
  std::vector<std::string> notes;
  if (has_core_off(root))
    notes.emplace_back(
        "cores are off: clusters without a core that is on show no clock files, so their writes "
        "are missing here");
  for (const AxisGap& gap : board.gaps())
    if (!gap.axes.empty()) notes.push_back(gap.text());
  return notes;
}

}  // namespace

Result<std::string> RehearsedFiles::read(const fs::path& file) {
  const auto written = written_.find(file);
  return written == written_.end() ? kernel_files().read(file) : written->second;
}

Status RehearsedFiles::write(const fs::path& file, const std::string& value) {
  FLYBALL_ASSIGN(const std::string now, read(file));
  const fs::path below = file.lexically_relative(root_);
  writes_.push_back({"/" + below.string(), std::string(trim(value)), std::string(trim(now))});
  written_[file] = value;
  return {};
}

Result<Rehearsal> rehearse_mode(const BoardIdentity& identity, const fs::path& root,
                                const ModeRequest& request) {
  // A journal of its own: nothing of it is ever put back, and nobody's lock is in the way.
  FLYBALL_ASSIGN(const TempFolder folder, TempFolder::make());
  RehearsedFiles files(root);
  BoardDeviceOptions options{.root = root, .journal = folder / "board.journal", .files = &files};
  options.rehearsed = true;
  const auto board = open_rehearsed_board(identity, std::move(options));
  Rehearsal rehearsal;
  FLYBALL_ASSIGN(rehearsal.mode, set_mode(*board, root, request));
  rehearsal.writes = files.writes();
  rehearsal.notes = notes_of(*board, root);
  return rehearsal;
}

Json rehearsal_json(const Rehearsal& rehearsal) {
  Json writes = Json::array();
  for (const PlannedWrite& write : rehearsal.writes)
    writes.push_back({{"file", write.file}, {"value", write.value}, {"now", write.now}});
  return {{"writes", writes}, {"notes", rehearsal.notes}};
}

std::string rehearsal_text(const Rehearsal& rehearsal) {
  std::string text;
  for (const PlannedWrite& write : rehearsal.writes)
    text += fmt::format("{} <- {} (now {})\n", write.file, write.value, write.now);
  if (rehearsal.writes.empty()) text += "nothing to write: the board is in this mode\n";
  for (const std::string& note : rehearsal.notes) text += fmt::format("note: {}\n", note);
  return text;
}

}  // namespace flyball
