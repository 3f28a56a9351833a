// CSV with a header line, as tables come and go (RFC 4180 quoting, LF or CRLF).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace flyball {

/// A parsed file: every row has as many fields as the header.
struct Csv {
  std::string name;  ///< the file, for messages
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
  size_t header_line = 1;
  std::vector<size_t> lines;  ///< line number in the file on which each row begins, from 1
  /// How messages call the columns, when the header was renamed since the file was read.
  std::vector<std::string> titles;

  /// Index of a column, or nothing.
  std::optional<size_t> column(std::string_view title) const;
  /// "file:line: column 'x': " in front of a complaint about one field.
  Error at(size_t row, size_t column, const std::string& complaint, const std::string& hint) const;
  /// The error of a column that is missing; another one where the file separates its columns by
  /// semicolons or tabs, so that it has none at all.
  Error missing(Error error) const;
  /// Error: one of the `needed` columns is missing, or there is one besides these and `others`;
  /// `whose`: "a fleet has".
  Status check_columns(const std::vector<std::string>& needed,
                       const std::vector<std::string>& others, const std::string& whose) const;
  /// The field as a finite number, or an error that names file, line and column.
  Result<double> number(size_t row, size_t column) const;
};

/// Parses text; blank lines and lines that begin with '#' are skipped. Errors name the line.
/// Fields are UTF-8 without control characters but tabs and line ends; others are refused.
Result<Csv> parse_csv(std::string_view text, const std::string& name);
Result<Csv> read_csv(const std::filesystem::path& path);

/// One line, quoted where needed, with the line end.
std::string csv_line(const std::vector<std::string>& fields);

}  // namespace flyball
