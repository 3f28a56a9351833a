// A checksum in each page of a store's file, so that a page that was changed on the disk is noticed
// when it is read.
#pragma once

#include <cstdint>

struct sqlite3;

namespace flyball {

/// Bytes at the end of each page of a new file, which its header reserves for the checksum. Files
/// of earlier versions reserve none, and are read and written without checksums.
inline constexpr int page_checksum_bytes = 8;

/// SQLite's name of a file system like the default one that writes these checksums and refuses
/// (SQLITE_IOERR_DATA) to read a page that contradicts its own. A log (WAL) has SQLite's checksums,
/// and its pages none of these: what another program takes from there into the file is read
/// without.
const char* checksummed_file_system();

/// The page, from 1, that was refused last on this connection; 0: none.
int64_t refused_page(sqlite3* connection);

}  // namespace flyball
