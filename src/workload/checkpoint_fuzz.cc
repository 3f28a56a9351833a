// scripts/fuzz checkpoint: files that a training goes on from. The check sum is mended first, which
// no mutation would hit.
#include <zlib.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "workload/checkpoint.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace flyball;
  std::string content(reinterpret_cast<const char*>(data), size);
  if (size >= 8) {
    const auto body = static_cast<uInt>(size - 8);
    const uLong crc = crc32(crc32(0, nullptr, 0), data, body);
    for (size_t i = 0; i < 8; ++i) content[body + i] = static_cast<char>(crc >> (8 * i) & 0xff);
  }
  const auto checkpoint = decode_checkpoint(content);
  if (!checkpoint.ok()) return 0;
  for (const StoredTensor& tensor : checkpoint->tensors)
    if (static_cast<size_t>(tensor.shape.elements()) * dtype_bytes(tensor.dtype) !=
        tensor.bytes.size())
      std::abort();
  const auto again = decode_checkpoint(encode_checkpoint(*checkpoint));
  if (!again.ok() || again->tensors.size() != checkpoint->tensors.size()) std::abort();
  return 0;
}
