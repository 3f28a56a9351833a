// JPEG in and out of memory. Decodes no more than the region that is asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/status.h"

namespace flyball {

/// A rectangle of pixels.
struct Box {
  int left = 0, top = 0, width = 0, height = 0;
  bool operator==(const Box&) const = default;
};

/// What the header of a file says.
struct JpegInfo {
  int width = 0, height = 0;
  int channels = 0;  ///< 1: grey, 3: colour, 4: CMYK
};

/// Is it one that networks are shown: colour, or grey? Error: CMYK.
Status check_colours(const JpegInfo& info);

/// Packed 8-bit RGB, valid until its reader is used again.
struct Pixels {
  const uint8_t* data = nullptr;  ///< first pixel of the box
  size_t stride = 0;              ///< bytes from one row to the next
};

/// Decodes one file after the other and keeps its buffers. For one thread.
class JpegReader {
 public:
  JpegReader();
  ~JpegReader();
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;

  /// Reads the header; `bytes` must live until read() is done. Errors: no JPEG, a broken header, no
  /// end-of-image marker (the file is truncated), more than 100 million pixels.
  Result<JpegInfo> open(std::span<const uint8_t> bytes);
  /// The pixels of a box inside the image, as RGB (grey is spread over the channels). Decodes as
  /// libjpeg does by default (accurate DCT, smooth chroma). Damaged data in what had to be read is
  /// an error, never a grey area.
  Result<Pixels> read(const Box& box);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Compresses packed RGB with 4:2:0 chroma, quality 1 to 100.
Result<std::vector<uint8_t>> encode_jpeg(std::span<const uint8_t> rgb, int width, int height,
                                         int quality);

}  // namespace flyball
