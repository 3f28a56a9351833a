#include "monitor/frame_reader.h"

namespace flyball {

Result<std::string> FrameReader::set_mode(const std::string&) {
  return Error{Code::unavailable, "these frames were recorded: there is nothing to set", ""};
}

Result<std::unique_ptr<FrameReader>> open_frames(const std::string& device,
                                                 const FrameOptions& options) {
  FLYBALL_ASSIGN(BoardName name, parse_board(device));
  if (name.kind == BoardName::Kind::table)
    return Error{Code::invalid_argument, "a table has nothing to watch",
                 "leave --device out to watch this machine, or name a simulated board: "
                 "twin:orin_nano"};
  if (device.empty()) {
    name.kind = BoardName::Kind::board;
    return open_live_frames(name, options);
  }
  FLYBALL_ASSIGN(const auto board, open_board(device, options.root));
  if (board->twin()) return open_twin_frames(*board, options);
  return open_live_frames(name, options);
}

}  // namespace flyball
