#include "sql/page_checksums.h"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <new>

namespace flyball {
namespace {

constexpr const char* checksummed_name = "flyball";
constexpr int checked_page_bytes = 4096;  // as SQLite makes files
constexpr int sqlite_header_bytes = 100;

// SQLite asks for room for its own object of an open file; this stands behind it.
struct CheckedFile {
  sqlite3_io_methods methods;          // the originals, but for reading and writing
  const sqlite3_io_methods* original;  // of SQLite's own
  bool checked;                        // the file's header reserves room for checksums
  sqlite3_int64 refused;               // page that contradicted its checksum last, from 1
};

sqlite3_vfs& default_file_system() {
  static sqlite3_vfs& found = *sqlite3_vfs_find(nullptr);
  return found;
}

int checked_file_offset() {
  constexpr int alignment = alignof(std::max_align_t);
  return (default_file_system().szOsFile + alignment - 1) / alignment * alignment;
}

CheckedFile& checked_file(sqlite3_file* file) {
  return *std::launder(
      reinterpret_cast<CheckedFile*>(reinterpret_cast<char*>(file) + checked_file_offset()));
}

bool reserves_checksums(const unsigned char* header) {
  return std::memcmp(header, "SQLite format 3", 16) == 0 &&
         256 * header[16] + header[17] == checked_page_bytes && header[20] == page_checksum_bytes;
}

// Of a page's content and number, so that neither a page of zeros nor one in another's place fits.
uint64_t page_checksum(const char* page, sqlite3_int64 offset) {
  uint64_t sum = 0x9e3779b97f4a7c15 + static_cast<uint64_t>(offset);
  for (int at = 0; at < checked_page_bytes - page_checksum_bytes; at += 8) {
    uint64_t word = 0;
    std::memcpy(&word, page + at, sizeof word);
    sum = std::rotl((sum ^ word) * 0xff51afd7ed558ccd, 29);
  }
  sum ^= sum >> 32;
  return sum != 0 ? sum : 1;  // 0 says that there is none
}

int read_checked(sqlite3_file* file, void* to, int amount, sqlite3_int64 offset) {
  CheckedFile& self = checked_file(file);
  const int code = self.original->xRead(file, to, amount, offset);
  if (code != SQLITE_OK) return code;
  if (offset == 0 && amount >= sqlite_header_bytes)
    self.checked = reserves_checksums(static_cast<const unsigned char*>(to));
  if (!self.checked || amount != checked_page_bytes || offset % checked_page_bytes != 0)
    return code;
  auto* page = static_cast<char*>(to);
  uint64_t kept = 0;
  std::memcpy(&kept, page + checked_page_bytes - page_checksum_bytes, sizeof kept);
  // So that there is none in the log, either: another program may take it into the file.
  std::memset(page + checked_page_bytes - page_checksum_bytes, 0, page_checksum_bytes);
  const bool none = kept == 0 && std::any_of(page, page + amount, [](char c) { return c != 0; });
  if (none || kept == page_checksum(page, offset)) return code;
  self.refused = offset / checked_page_bytes + 1;
  return SQLITE_IOERR_DATA;
}

// Another process may have given the file its header since this one opened it.
bool has_become_checked(sqlite3_file* file) {
  std::array<unsigned char, sqlite_header_bytes> header{};
  return checked_file(file).original->xRead(file, header.data(), sqlite_header_bytes, 0) ==
             SQLITE_OK &&
         reserves_checksums(header.data());
}

int write_checked(sqlite3_file* file, const void* from, int amount, sqlite3_int64 offset) {
  CheckedFile& self = checked_file(file);
  if (offset == 0 && amount >= sqlite_header_bytes)
    self.checked = reserves_checksums(static_cast<const unsigned char*>(from));
  if (!self.checked) self.checked = has_become_checked(file);
  if (!self.checked || amount != checked_page_bytes || offset % checked_page_bytes != 0)
    return self.original->xWrite(file, from, amount, offset);
  std::array<char, checked_page_bytes> page;
  std::memcpy(page.data(), from, checked_page_bytes);
  const uint64_t sum = page_checksum(page.data(), offset);
  std::memcpy(page.data() + checked_page_bytes - page_checksum_bytes, &sum, sizeof sum);
  return self.original->xWrite(file, page.data(), amount, offset);
}

int open_checked(sqlite3_vfs* system, const char* name, sqlite3_file* file, int flags,
                 int* flags_out) {
  const int code = default_file_system().xOpen(system, name, file, flags, flags_out);
  if (code != SQLITE_OK || !(flags & SQLITE_OPEN_MAIN_DB)) return code;
  auto* self = new (reinterpret_cast<char*>(file) + checked_file_offset())
      CheckedFile{*file->pMethods, file->pMethods, false, 0};
  self->methods.iVersion =
      std::min(self->original->iVersion, 2);  // without access through memory maps
  self->methods.xRead = read_checked;
  self->methods.xWrite = write_checked;
  file->pMethods = &self->methods;
  return code;
}

}  // namespace

const char* checksummed_file_system() {
  static sqlite3_vfs system = [] {
    sqlite3_vfs made = default_file_system();
    made.pNext = nullptr;
    made.zName = checksummed_name;
    made.szOsFile = checked_file_offset() + static_cast<int>(sizeof(CheckedFile));
    made.xOpen = open_checked;
    return made;
  }();
  static const int registered = sqlite3_vfs_register(&system, 0);
  static_cast<void>(registered);
  return checksummed_name;
}

int64_t refused_page(sqlite3* connection) {
  sqlite3_file* file = nullptr;
  if (sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK ||
      !file || !file->pMethods || file->pMethods->xRead != read_checked)
    return 0;
  return checked_file(file).refused;
}

}  // namespace flyball
