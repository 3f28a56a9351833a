// Any line is a frame that is written as the same line again, or is refused in one line.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/json.h"
#include "base/json_line.h"
#include "monitor/board_frame.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto frame = flyball::parse_frame(text);
  if (!frame.ok()) {
    if (frame.error().message.find('\n') != std::string::npos) std::abort();
    return 0;
  }
  const std::string line = flyball::json_line(flyball::to_json(*frame));
  const auto again = flyball::parse_frame(line);
  if (line.size() <= flyball::most_frame_bytes &&
      (!again.ok() || flyball::json_line(flyball::to_json(*again)) != line))
    std::abort();
  return 0;
}
