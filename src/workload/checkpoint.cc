#include "workload/checkpoint.h"

#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <limits>
#include <optional>

#include "base/files.h"
#include "base/json.h"
#include "base/json_line.h"
#include "base/text.h"

namespace flyball {
namespace {

constexpr std::string_view title = "FLYBALL CHECKPOINT ";
constexpr std::string_view magic = "FLYBALL CHECKPOINT 1\n";
constexpr size_t kLargest = size_t{256} << 30;

Error broken(const std::string& what) {
  return {Code::corrupt, what, "it is no use any more: take an earlier one, or train anew"};
}

std::string little_endian(uint64_t number) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(number >> (8 * i) & 0xff);
  return bytes;
}

uint64_t number_at(std::string_view bytes) {
  uint64_t number = 0;
  for (int i = 7; i >= 0; --i)
    number = number << 8 | static_cast<uint8_t>(bytes[static_cast<size_t>(i)]);
  return number;
}

uint64_t crc_of(std::string_view bytes, uint64_t before = 0) {
  auto crc = static_cast<uLong>(before);
  for (size_t done = 0; done < bytes.size();) {
    const size_t piece = std::min<size_t>(bytes.size() - done, size_t{1} << 30);
    crc = crc32(crc, reinterpret_cast<const Bytef*>(bytes.data() + done), static_cast<uInt>(piece));
    done += piece;
  }
  return crc;
}

// Bytes of a tensor, if they are no more than `most`.
std::optional<size_t> bytes_of(const StoredTensor& tensor, size_t most) {
  size_t bytes = dtype_bytes(tensor.dtype);
  for (const int64_t size : tensor.shape) {
    if (size < 0) return {};
    const auto side = static_cast<size_t>(size);
    if (side > 0 && bytes > most / side) return {};
    bytes *= side;
  }
  return bytes <= most ? std::optional(bytes) : std::nullopt;
}

Result<StoredTensor> described(const Json& entry) {
  const auto bad = [] { return broken("its header describes no tensor"); };
  StoredTensor tensor;
  if (!entry.is_object() || !entry.contains("name") || !entry["name"].is_string() ||
      !entry.contains("type") || !entry["type"].is_string() || !entry.contains("shape") ||
      !entry["shape"].is_array() || entry["shape"].size() > TensorShape::max_rank)
    return bad();
  tensor.name = entry["name"].get<std::string>();
  const auto dtype = dtype_named(entry["type"].get<std::string>());
  if (!dtype) return bad();
  tensor.dtype = *dtype;
  for (const Json& size : entry["shape"]) {
    if (!size.is_number_integer()) return bad();
    tensor.shape.append(size.get<int64_t>());
  }
  return tensor;
}

}  // namespace

const StoredTensor* Checkpoint::find(std::string_view name) const {
  const auto found = std::ranges::find(tensors, name, &StoredTensor::name);
  return found == tensors.end() ? nullptr : &*found;
}

Status Checkpoint::agrees(const std::map<std::string, std::string>& own) const {
  for (const auto& [name, value] : own) {
    const auto there = facts.find(name);
    if (there != facts.end() && there->second == value) continue;
    const std::string has = there == facts.end() ? fmt::format("no {}", name)
                                                 : fmt::format("{} '{}'", name, there->second);
    return Error{Code::conflict,
                 fmt::format("the checkpoint has {} and this training '{}'", has, value),
                 "go on with the settings that it was made with"};
  }
  return {};
}

Result<int64_t> Checkpoint::number(const std::string& fact) const {
  const auto there = facts.find(fact);
  const auto value = there == facts.end() ? std::nullopt : parse_integer(there->second);
  if (!value || *value < 0) return broken(fmt::format("it does not say its {}", fact));
  return static_cast<int64_t>(*value);
}

std::string encode_checkpoint(const Checkpoint& checkpoint) {
  Json header{{"facts", checkpoint.facts}, {"tensors", Json::array()}};
  size_t bytes = 0;
  for (const StoredTensor& tensor : checkpoint.tensors) {
    Json shape = Json::array();
    for (const int64_t size : tensor.shape) shape.push_back(size);
    header["tensors"].push_back(
        {{"name", tensor.name}, {"type", dtype_name(tensor.dtype)}, {"shape", shape}});
    bytes += tensor.bytes.size();
  }
  const std::string text = json_line(header);
  std::string content;
  content.reserve(magic.size() + 8 + text.size() + bytes + 8);
  content += magic;
  content += little_endian(text.size());
  content += text;
  for (const StoredTensor& tensor : checkpoint.tensors) content += tensor.bytes;
  content += little_endian(crc_of(content));
  return content;
}

namespace {

// Whether the beginning of a file is that of a checkpoint of this version.
Status check_title(std::string_view content) {
  if (!content.starts_with(title))
    return Error{Code::corrupt, "it is no checkpoint",
                 "name a file that `flyball profile --save` wrote"};
  if (!content.starts_with(magic))
    return Error{Code::corrupt, "it is a checkpoint of another version",
                 "go on with the Flyball that wrote it, or train anew"};
  return {};
}

// Where a checkpoint is read from, piece by piece: one of gigabytes is not held twice.
struct Content {
  uint64_t size;
  std::function<Status(uint64_t place, char* to, size_t bytes)> read;

  Result<std::string> piece(uint64_t place, uint64_t bytes) const {
    std::string text(static_cast<size_t>(bytes), '\0');
    FLYBALL_CHECK(read(place, text.data(), text.size()));
    return text;
  }
};

Result<uint64_t> crc_of(const Content& content, uint64_t bytes) {
  uint64_t crc = 0;
  for (uint64_t done = 0; done < bytes;) {
    FLYBALL_ASSIGN(const std::string piece,
                   content.piece(done, std::min<uint64_t>(bytes - done, uint64_t{1} << 20)));
    crc = crc_of(piece, crc);
    done += piece.size();
  }
  return crc;
}

// The header, whose end is told, once the file is known to be whole.
Result<Json> read_header(const Content& content, uint64_t& end) {
  FLYBALL_ASSIGN(const std::string beginning,
                 content.piece(0, std::min<uint64_t>(content.size, magic.size() + 8)));
  FLYBALL_CHECK(check_title(beginning));
  const uint64_t begin = magic.size() + 8;
  if (content.size < begin + 8) return broken("it was cut off");
  const uint64_t bytes = number_at(std::string_view(beginning).substr(magic.size()));
  const uint64_t body = content.size - 8;
  if (bytes > body - begin) return broken("it was cut off");
  FLYBALL_ASSIGN(const std::string check_sum, content.piece(body, 8));
  FLYBALL_ASSIGN(const uint64_t crc, crc_of(content, body));
  if (number_at(check_sum) != crc)
    return broken("it was cut off or changed: its check sum does not fit");
  FLYBALL_ASSIGN(const std::string text, content.piece(begin, bytes));
  end = begin + bytes;
  return Json::parse(text, nullptr, false);
}

Result<Checkpoint> decode(const Content& content) {
  uint64_t place = 0;
  FLYBALL_ASSIGN(const Json header, read_header(content, place));
  if (!header.is_object() || !header.contains("facts") || !header["facts"].is_object() ||
      !header.contains("tensors") || !header["tensors"].is_array())
    return broken("its header cannot be read");
  Checkpoint checkpoint;
  for (const auto& [name, value] : header["facts"].items()) {
    if (!value.is_string()) return broken("its header cannot be read");
    checkpoint.facts[name] = value.get<std::string>();
  }
  const uint64_t end = content.size - 8;
  for (const Json& entry : header["tensors"]) {
    FLYBALL_ASSIGN(StoredTensor tensor, described(entry));
    const auto bytes = bytes_of(tensor, static_cast<size_t>(end - place));
    if (!bytes) return broken(fmt::format("tensor '{}' is not whole", tensor.name));
    FLYBALL_ASSIGN(tensor.bytes, content.piece(place, *bytes));
    place += *bytes;
    checkpoint.tensors.push_back(std::move(tensor));
  }
  if (place != end) return broken("it holds more than its header tells of");
  return checkpoint;
}

Status read_at(const std::filesystem::path& file, int descriptor, uint64_t place, char* to,
               size_t bytes) {
  for (size_t done = 0; done < bytes;) {
    const ssize_t n =
        ::pread(descriptor, to + done, bytes - done, static_cast<off_t>(place + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return file_error("read", file, errno);
    if (n == 0) return broken("it was cut off").within(file.string());
    done += static_cast<size_t>(n);
  }
  return {};
}

}  // namespace

Result<Checkpoint> decode_checkpoint(std::string_view content) {
  return decode({content.size(), [content](uint64_t place, char* to, size_t bytes) {
                   content.copy(to, bytes, place);
                   return Status();
                 }});
}

Status write_checkpoint(const std::filesystem::path& file, const Checkpoint& checkpoint) {
  return write_file(file, encode_checkpoint(checkpoint));
}

Status check_checkpoint_file(const std::filesystem::path& file) {
  FLYBALL_ASSIGN(const OpenedFile opened, open_regular(file, kLargest));
  char beginning[magic.size()];
  const ssize_t bytes = ::pread(opened.descriptor.get(), beginning, sizeof beginning, 0);
  if (bytes < 0) return file_error("read", file, errno);
  const Status status = check_title({beginning, static_cast<size_t>(bytes)});
  return status ? status : status.error().within(file.string());
}

Result<Checkpoint> read_checkpoint(const std::filesystem::path& file) {
  FLYBALL_ASSIGN(const OpenedFile opened, open_regular(file, kLargest));
  Status unread;
  const auto read = [&](uint64_t place, char* to, size_t bytes) {
    return unread = read_at(file, opened.descriptor.get(), place, to, bytes);
  };
  auto checkpoint = decode({opened.size, read});
  if (!checkpoint && unread.ok()) return checkpoint.error().within(file.string());
  return checkpoint;
}

}  // namespace flyball
