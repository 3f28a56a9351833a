#include "base/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/files.h"
#include "base/text.h"

namespace flyball {
namespace {

// A quoted field may hold line ends; a message is one line all the same.
std::string one_line(const std::string& text) {
  std::string line;
  for (const char c : text) {
    if (c == '\n')
      line += "\\n";
    else if (c == '\r')
      line += "\\r";
    else
      line += c;
  }
  return line;
}

// Cuts one record after the other off the front of the text and counts the lines they span.
class RecordReader {
 public:
  RecordReader(std::string_view text, std::string name) : rest_(text), name_(std::move(name)) {}

  // Passes over blank lines and comments; a quoted field is neither, whatever it holds.
  bool done() {
    while (!rest_.empty()) {
      const std::string_view line = rest_.substr(0, rest_.find('\n'));
      if (!trim(line).empty() && line.front() != '#') return false;
      rest_.remove_prefix(std::min(line.size() + 1, rest_.size()));
      ++next_line_;
    }
    return true;
  }
  /// The line on which the last record began.
  size_t line() const { return line_; }

  Result<std::vector<std::string>> next() {
    line_ = next_line_++;
    std::vector<std::string> fields(1);
    bool quoted = false;
    while (!rest_.empty()) {
      const char c = rest_.front();
      rest_.remove_prefix(1);
      if (quoted) {
        if (c == '"' && !rest_.empty() && rest_.front() == '"') {
          fields.back() += '"';
          rest_.remove_prefix(1);
        } else if (c == '"') {
          quoted = false;
        } else {
          next_line_ += c == '\n';
          fields.back() += c;
        }
      } else if (c == '"' && fields.back().empty()) {
        quoted = true;
      } else if (c == ',') {
        fields.emplace_back();
      } else if (c == '\n') {
        break;
      } else if (c != '\r' || (!rest_.empty() && rest_.front() != '\n')) {
        fields.back() += c;
      }
    }
    if (quoted)
      return Error{Code::corrupt,
                   fmt::format("{}:{}: a quoted field is never closed", name_, line_),
                   "close the quote, or double it if it belongs to the text"};
    return fields;
  }

 private:
  std::string_view rest_;
  std::string name_;
  size_t line_ = 0, next_line_ = 1;
};

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

bool needs_quotes(const std::string& field, bool first, bool only) {
  return field.find_first_of(",\"\r\n") != std::string::npos ||
         (first && (field.starts_with('#') || field.starts_with(byte_order_mark))) ||
         (only && trim(field).empty());
}

// Text that is no text would fail much later, in a report or a JSON document.
Status check_text(const Csv& csv, const std::vector<std::string>& fields, size_t line) {
  for (size_t c = 0; c < fields.size(); ++c) {
    const std::string fault = text_fault(fields[c]);
    if (fault.empty()) continue;
    const std::string column =
        csv.header.empty() ? fmt::format("{}", c + 1) : "'" + one_line(csv.header[c]) + "'";
    return Error{Code::corrupt, fmt::format("{}:{}: column {} {}", csv.name, line, column, fault),
                 "save the file as UTF-8"};
  }
  return {};
}

}  // namespace

std::optional<size_t> Csv::column(std::string_view title) const {
  const auto found = std::find(header.begin(), header.end(), title);
  if (found == header.end()) return {};
  return static_cast<size_t>(found - header.begin());
}

Error Csv::at(size_t row, size_t column, const std::string& complaint,
              const std::string& hint) const {
  return {
      Code::corrupt,
      fmt::format("{}:{}: column '{}': {}", name, lines[row],
                  one_line(titles.empty() ? header[column] : titles[column]), one_line(complaint)),
      hint};
}

Error Csv::missing(Error error) const {
  if (header.size() != 1) return error;
  for (const auto& [separator, words] : {std::pair{';', "';'"}, std::pair{'\t', "tabs"}})
    if (header.front().find(separator) != std::string::npos)
      return {Code::corrupt,
              fmt::format("{}:{}: columns are separated by {}, not by commas", name, header_line,
                          words),
              "save the file with commas between the columns and points in the numbers"};
  return error;
}

Status Csv::check_columns(const std::vector<std::string>& needed,
                          const std::vector<std::string>& others, const std::string& whose) const {
  const auto wrong = [&](const std::string& column, const char* what) {
    return Error{Code::invalid_argument, fmt::format("{}: column '{}' is {}", name, column, what),
                 fmt::format("{} the columns {} and where wanted {}", whose, join(needed, ","),
                             join(others, ","))};
  };
  for (const std::string& title : needed)
    if (!column(title)) return missing(wrong(title, "missing"));
  for (const std::string& title : header)
    if (std::ranges::count(needed, title) + std::ranges::count(others, title) == 0)
      return wrong(title, "not known");
  return {};
}

Result<double> Csv::number(size_t row, size_t column) const {
  const auto value = parse_double(rows[row][column]);
  if (value && std::isfinite(*value)) return *value;
  return at(row, column, fmt::format("'{}' is not a number", rows[row][column]),
            "mend the field, or leave the row out");
}

Result<Csv> parse_csv(std::string_view text, const std::string& name) {
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  Csv csv;
  csv.name = name;
  RecordReader reader(text, name);
  while (!reader.done()) {
    FLYBALL_ASSIGN(auto fields, reader.next());
    if (csv.header.empty()) {
      FLYBALL_CHECK(check_text(csv, fields, reader.line()));
      for (std::string& field : fields) field = std::string(trim(field));
      csv.header = std::move(fields);
      csv.header_line = reader.line();
      continue;
    }
    if (fields.size() != csv.header.size())
      return csv.missing(  // commas of such a file are those of its numbers
          {Code::corrupt,
           fmt::format("{}:{}: {} fields where the header has {}", name, reader.line(),
                       fields.size(), csv.header.size()),
           "every row needs one field for each column of the header"});
    FLYBALL_CHECK(check_text(csv, fields, reader.line()));
    csv.rows.push_back(std::move(fields));
    csv.lines.push_back(reader.line());
  }
  if (csv.header.empty())
    return Error{Code::corrupt, fmt::format("{} is empty", name),
                 "a CSV file begins with a header"};
  return csv;
}

Result<Csv> read_csv(const std::filesystem::path& path) {
  FLYBALL_ASSIGN(const std::string text, read_file(path));
  return parse_csv(text, path.string());
}

std::string csv_line(const std::vector<std::string>& fields) {
  std::string line;
  for (size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) line += ',';
    if (!needs_quotes(fields[i], i == 0, fields.size() == 1)) {
      line += fields[i];
      continue;
    }
    line += '"';
    for (char c : fields[i]) line += c == '"' ? "\"\"" : std::string(1, c);
    line += '"';
  }
  return line + '\n';
}

}  // namespace flyball
