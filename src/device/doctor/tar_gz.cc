// Written with libarchive: ustar, with pax headers where a name is too long for it.
#include "device/doctor/tar_gz.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <memory>

namespace flyball {
namespace {

using Archive = std::unique_ptr<archive, int (*)(archive*)>;
using Entry = std::unique_ptr<archive_entry, void (*)(archive_entry*)>;

la_ssize_t append(archive*, void* text, const void* bytes, size_t size) {
  static_cast<std::string*>(text)->append(static_cast<const char*>(bytes), size);
  return static_cast<la_ssize_t>(size);
}

Error refused(archive* writer, const std::string& what) {
  const char* reason = archive_error_string(writer);
  return {Code::internal, fmt::format("{} cannot be archived: {}", what, reason ? reason : "?"),
          ""};
}

Status write_entry(archive* writer, const TreeEntry& one, const std::string& folder,
                   int64_t seconds) {
  const Entry entry(archive_entry_new(), archive_entry_free);
  archive_entry_set_pathname(entry.get(), (folder + "/" + one.path).c_str());
  archive_entry_set_mtime(entry.get(), static_cast<time_t>(seconds), 0);
  const bool is_file = one.kind == TreeEntry::Kind::file;
  if (one.kind == TreeEntry::Kind::link) {
    archive_entry_set_filetype(entry.get(), AE_IFLNK);
    archive_entry_set_symlink(entry.get(), one.content.c_str());
    archive_entry_set_perm(entry.get(), 0777);
  } else {
    archive_entry_set_filetype(entry.get(), AE_IFREG);
    archive_entry_set_perm(entry.get(), 0644);
    archive_entry_set_size(entry.get(), static_cast<la_int64_t>(one.content.size()));
  }
  if (archive_write_header(writer, entry.get()) != ARCHIVE_OK) return refused(writer, one.path);
  if (!is_file || one.content.empty()) return {};
  const la_ssize_t written = archive_write_data(writer, one.content.data(), one.content.size());
  if (written != static_cast<la_ssize_t>(one.content.size())) return refused(writer, one.path);
  return {};
}

}  // namespace

Result<std::string> tar_gz(const std::vector<TreeEntry>& entries, const std::string& folder,
                           int64_t seconds) {
  std::string bytes;
  const Archive writer(archive_write_new(), archive_write_free);
  if (archive_write_add_filter_gzip(writer.get()) != ARCHIVE_OK ||
      archive_write_set_filter_option(writer.get(), "gzip", "timestamp", nullptr) != ARCHIVE_OK ||
      archive_write_set_format_pax_restricted(writer.get()) != ARCHIVE_OK ||
      archive_write_open(writer.get(), &bytes, nullptr, append, nullptr) != ARCHIVE_OK)
    return refused(writer.get(), folder);
  for (const TreeEntry& entry : entries)
    FLYBALL_CHECK(write_entry(writer.get(), entry, folder, seconds));
  if (archive_write_close(writer.get()) != ARCHIVE_OK) return refused(writer.get(), folder);
  return bytes;
}

}  // namespace flyball
