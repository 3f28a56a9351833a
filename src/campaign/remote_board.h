// A board that is reached by ssh: the program is copied there once and known by its digest, a
// question is asked there, and what was measured comes back.
#pragma once

#include <filesystem>
#include <string>

#include "base/status.h"
#include "campaign/cell_state.h"

namespace flyball {

class RemoteBoard {
 public:
  /// `program`: what is copied, where the board names none of its own.
  RemoteBoard(const Campaign& campaign, const CampaignBoard& board, std::filesystem::path program);

  /// Runs the cell there; its answer goes into `output`, its store to `places.store`. The command
  /// there ends (SIGTERM) when this process does; where the connection is lost, when it is noticed
  /// there, or when the cell is run again. Returns its exit code. Errors: no ssh here, the host
  /// does not answer (unavailable), a copy whose digest is another one (corrupt), what an earlier
  /// call left there does not end (conflict). `result` is told why the board was not put back.
  Result<int> ask(const CampaignCell& cell, const CellPlaces& places, const CampaignFolder& folder,
                  const std::filesystem::path& output, CellResult& result) const;

  /// "ssh -o … -- HOST COMMAND": the words that run a shell's command there.
  Result<CommandWords> words(const std::string& command) const;

 private:
  /// Runs it there; what it prints, 64 KiB at most.
  Result<std::string> tell(const std::string& command, double limit_s) const;
  /// The same with a file as its stdin.
  Result<std::string> pass(const std::filesystem::path& file, const std::string& command) const;
  Status put(const std::filesystem::path& file, const std::string& place, const char* mode) const;
  Status fetch(const std::string& program, const std::string& place,
               const std::filesystem::path& file) const;
  Result<std::string> bring_program() const;

  const Campaign& campaign_;
  const CampaignBoard& board_;
  std::filesystem::path program_;
};

}  // namespace flyball
