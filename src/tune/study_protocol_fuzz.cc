// One message to `flyball study`.
#include <cstdint>
#include <cstdlib>

#include "tune/study_protocol.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto message =
      flyball::parse_study_message(std::string(reinterpret_cast<const char*>(data), size));
  if (!message.ok()) {
    const flyball::Error& error = message.error();
    if (error.message.empty() || error.hint.empty() ||
        error.message.find('\n') != std::string::npos)
      std::abort();
    return 0;
  }
  const auto* create = std::get_if<flyball::StudyCreate>(&*message);
  if (create != nullptr && (create->axes.empty() || create->usual.size() != create->axes.size()))
    std::abort();
  return 0;
}
