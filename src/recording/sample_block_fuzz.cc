// Any bytes are a block or are refused, also those that do deflate to something; what decodes
// encodes to a block that decodes the same.
#include "recording/sample_block.h"

#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace {

void check(std::string_view bytes) {
  const auto block = flyball::decode_block(bytes);
  if (!block.ok()) return;
  const auto encoded = flyball::encode_block(*block);
  if (!encoded.ok()) {
    // Longer forms of the same numbers may be too many bytes; nothing else may be.
    if (encoded.error().message.find("as much") == std::string::npos) std::abort();
    return;
  }
  if (flyball::decode_block(*encoded).value() != *block) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  check({reinterpret_cast<const char*>(data), size});
  // The same as the plain part of a block: a fuzzer does not find checksums.
  if (const auto block = flyball::deflated_block({reinterpret_cast<const char*>(data), size});
      block.ok())
    check(*block);
  return 0;
}
