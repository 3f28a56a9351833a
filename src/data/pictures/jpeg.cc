#include "data/pictures/jpeg.h"

#include <csetjmp>
#include <cstdio>
// libjpeg needs <cstdio> before it.
#include <fmt/format.h>
#include <jerror.h>
#include <jpeglib.h>

#include <algorithm>
#include <cassert>
#include <cstdlib>

namespace flyball {
namespace {

constexpr int64_t kMostPixels = 100'000'000;
constexpr int kMostScans = 500;  // more are an attack, not a picture
constexpr int kMargin = 2;  // columns around the box, so that chroma at its edges is smooth too

// libjpeg reports errors by a call that must not return; this one jumps back to our frame.
struct ErrorTrap {
  jpeg_error_mgr manager;
  std::jmp_buf back;
  char message[JMSG_LENGTH_MAX] = "";
};

ErrorTrap& trap_of(j_common_ptr codec) {
  return *reinterpret_cast<ErrorTrap*>(codec->err);
}

[[noreturn]] void jump_out(j_common_ptr codec) {
  ErrorTrap& trap = trap_of(codec);
  trap.manager.format_message(codec, trap.message);
  std::longjmp(trap.back, 1);
}

// A warning that means missing or wrong pixels is an error; the rest is none of our concern.
void judge_warning(j_common_ptr codec, int level) {
  if (level >= 0) return;
  const int code = codec->err->msg_code;
  if (code == JWRN_EXTRANEOUS_DATA || code == JWRN_ADOBE_XFORM || code == JWRN_TOO_MUCH_DATA ||
      code == JWRN_JFIF_MAJOR)
    return;
  jump_out(codec);
}

void limit_scans(j_common_ptr codec) {
  const auto* decoder = reinterpret_cast<j_decompress_ptr>(codec);
  if (decoder->input_scan_number > kMostScans) ERREXIT(codec, JERR_NOTIMPL);
}

void set_trap(ErrorTrap& trap) {
  jpeg_std_error(&trap.manager);
  trap.manager.error_exit = jump_out;
  trap.manager.emit_message = judge_warning;
}

// Entropy-coded data never holds an end marker, so one after the header is the real one.
bool has_end(const uint8_t* begin, const uint8_t* end) {
  for (const uint8_t* p = end - 1; p > begin; --p)
    if (p[0] == 0xd9 && p[-1] == 0xff) return true;
  return false;
}

}  // namespace

struct JpegReader::State {
  jpeg_decompress_struct decoder = {};
  jpeg_progress_mgr progress = {};
  ErrorTrap trap;
  std::span<const uint8_t> bytes;
  std::vector<uint8_t> pixels;

  // The functions with setjmp hold nothing that needs a destructor.
  bool create() {
    if (setjmp(trap.back)) return false;
    jpeg_create_decompress(&decoder);
    progress.progress_monitor = limit_scans;
    decoder.progress = &progress;
    return true;
  }

  bool read_header() {
    if (setjmp(trap.back)) return false;
    jpeg_abort_decompress(&decoder);
    jpeg_mem_src(&decoder, bytes.data(), static_cast<unsigned long>(bytes.size()));
    jpeg_read_header(&decoder, TRUE);
    return true;
  }

  // Returns false on an error; else `first_column` says where in the image each row begins.
  bool decode(const Box& box, int& first_column, size_t& stride) {
    if (setjmp(trap.back)) return false;
    decoder.out_color_space = JCS_RGB;
    jpeg_start_decompress(&decoder);
    const int image_width = static_cast<int>(decoder.output_width);
    JDIMENSION left = static_cast<JDIMENSION>(std::max(0, box.left - kMargin));
    JDIMENSION width =
        static_cast<JDIMENSION>(std::min(image_width, box.left + box.width + kMargin)) - left;
    if (left > 0 || width < decoder.output_width) jpeg_crop_scanline(&decoder, &left, &width);
    first_column = static_cast<int>(left);
    stride = size_t{width} * 3;
    const size_t rows = static_cast<size_t>(box.height);
    if (pixels.size() < rows * stride) pixels.resize(rows * stride);
    if (box.top > 0) jpeg_skip_scanlines(&decoder, static_cast<JDIMENSION>(box.top));
    uint8_t* row_pointers[16];
    for (size_t row = 0; row < rows;) {
      const size_t count = std::min<size_t>(16, rows - row);
      for (size_t i = 0; i < count; ++i) row_pointers[i] = pixels.data() + (row + i) * stride;
      row += jpeg_read_scanlines(&decoder, row_pointers, static_cast<JDIMENSION>(count));
    }
    jpeg_abort_decompress(&decoder);
    return true;
  }

  Error error(const char* what) const {
    return {Code::corrupt, fmt::format("{}: {}", what, trap.message),
            "fetch the file again, or leave it out"};
  }
};

JpegReader::JpegReader() : state_(std::make_unique<State>()) {
  set_trap(state_->trap);
  state_->decoder.err = &state_->trap.manager;
  if (!state_->create()) std::abort();  // headers of another libjpeg than the library: our mistake
}

JpegReader::~JpegReader() {
  jpeg_destroy_decompress(&state_->decoder);
}

Result<JpegInfo> JpegReader::open(std::span<const uint8_t> bytes) {
  State& state = *state_;
  const auto& decoder = state.decoder;
  state.bytes = bytes;
  if (bytes.empty())
    return Error{Code::corrupt, "the file is empty", "fetch it again, or leave it out"};
  if (!state.read_header()) return state.error("not a readable JPEG");
  const int64_t pixels = int64_t{decoder.image_width} * decoder.image_height;
  if (pixels > kMostPixels)
    return Error{Code::corrupt,
                 fmt::format("{} × {} pixels are more than 100 million", decoder.image_width,
                             decoder.image_height),
                 "scale it down, or leave it out"};
  if (!has_end(decoder.src->next_input_byte, bytes.data() + bytes.size()))
    return Error{Code::corrupt, "the JPEG is truncated: it has no end-of-image marker",
                 "fetch the file again, or leave it out"};
  return JpegInfo{static_cast<int>(decoder.image_width), static_cast<int>(decoder.image_height),
                  decoder.num_components};
}

Result<Pixels> JpegReader::read(const Box& box) {
  State& state = *state_;
  assert(box.left >= 0 && box.top >= 0 && box.width > 0 && box.height > 0);
  assert(box.left + box.width <= static_cast<int>(state.decoder.image_width));
  assert(box.top + box.height <= static_cast<int>(state.decoder.image_height));
  int first_column = 0;
  size_t stride = 0;
  if (!state.decode(box, first_column, stride)) return state.error("damaged JPEG");
  return Pixels{state.pixels.data() + 3 * (box.left - first_column), stride};
}

namespace {

// What the encoder needs, apart from its setjmp frame.
struct Encoder {
  jpeg_compress_struct codec = {};
  ErrorTrap trap;
  unsigned char* out = nullptr;
  unsigned long size = 0;

  ~Encoder() {
    jpeg_destroy_compress(&codec);
    std::free(out);
  }

  bool encode(const uint8_t* rgb, int width, int height, int quality) {
    if (setjmp(trap.back)) return false;
    jpeg_create_compress(&codec);
    jpeg_mem_dest(&codec, &out, &size);
    codec.image_width = static_cast<JDIMENSION>(width);
    codec.image_height = static_cast<JDIMENSION>(height);
    codec.input_components = 3;
    codec.in_color_space = JCS_RGB;
    jpeg_set_defaults(&codec);
    jpeg_set_quality(&codec, quality, TRUE);
    jpeg_start_compress(&codec, TRUE);
    while (codec.next_scanline < codec.image_height) {
      auto* row = const_cast<uint8_t*>(rgb) + size_t{codec.next_scanline} * width * 3;
      jpeg_write_scanlines(&codec, &row, 1);
    }
    jpeg_finish_compress(&codec);
    return true;
  }
};

}  // namespace

Status check_colours(const JpegInfo& info) {
  if (info.channels == 3 || info.channels == 1) return {};
  return Error{
      Code::corrupt,
      fmt::format("the JPEG has {} colour channels where 3, or 1 of a grey one, are expected",
                  info.channels),
      "convert it to RGB, or leave it out"};
}

Result<std::vector<uint8_t>> encode_jpeg(std::span<const uint8_t> rgb, int width, int height,
                                         int quality) {
  assert(rgb.size() == static_cast<size_t>(width) * static_cast<size_t>(height) * 3);
  Encoder encoder;
  set_trap(encoder.trap);
  encoder.codec.err = &encoder.trap.manager;
  if (!encoder.encode(rgb.data(), width, height, quality))
    return Error{Code::internal, fmt::format("cannot compress a picture: {}", encoder.trap.message),
                 ""};
  return std::vector<uint8_t>(encoder.out, encoder.out + encoder.size);
}

}  // namespace flyball
