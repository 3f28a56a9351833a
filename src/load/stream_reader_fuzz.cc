// Whatever a server streams is read or refused with a reason, whichever way it is cut into pieces.
#include "load/stream_reader.h"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/text.h"

namespace {

struct Heard {
  std::vector<std::string> events;
  bool kept = true;
  bool operator==(const Heard&) const = default;
};

Heard read_in_pieces(std::string_view text, size_t piece) {
  Heard heard;
  flyball::EventReader reader;
  for (size_t at = 0; heard.kept && at < text.size(); at += piece)
    heard.kept = reader.add(text.substr(at, piece), [&](std::string_view data) {
      heard.events.emplace_back(data);
      return true;
    });
  return heard;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Heard whole = read_in_pieces(text, text.size() + 1);
  if (!(whole == read_in_pieces(text, 1)) || !(whole == read_in_pieces(text, 7))) std::abort();
  flyball::TokenReader tokens;
  for (int64_t now = 0; const std::string& event : whole.events) {
    if (!tokens.add_event(event, now++)) {
      if (tokens.fault().empty()) std::abort();
      break;
    }
    if (tokens.last_ns() < tokens.first_ns()) std::abort();
  }
  flyball::TokenReader one;
  if (!one.add_whole(text, 1) && one.fault().empty()) std::abort();
  for (const char c : flyball::printable(text))
    if (static_cast<unsigned char>(c) < 0x20) std::abort();
  return 0;
}
