#include "cli/output.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "answers/answer.h"
#include "answers/infeasible.h"
#include "answers/json_version.h"
#include "base/files.h"
#include "base/json.h"
#include "base/os/interrupt.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/standard_output.h"

namespace flyball::cli {
namespace {

bool document_printed = false;  // by print_json()

// Characters, not bytes: UTF-8 continuation bytes take no room.
size_t width(const std::string& text) {
  size_t n = 0;
  for (char c : text) n += (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  return n;
}

// The beginning of a line that takes no more room than that.
std::string cut_to(const std::string& line, size_t columns) {
  if (width(line) <= columns) return line;
  size_t end = 0;
  for (size_t n = 0; end < line.size(); ++end)
    if ((static_cast<unsigned char>(line[end]) & 0xc0) != 0x80 && n++ + 1 == columns) break;
  return line.substr(0, end) + "…";
}

// Of the terminal that stderr is.
size_t terminal_columns() {
  winsize size{};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  return known ? size.ws_col : 80;
}

bool knows_erase() {
  const char* terminal = std::getenv("TERM");
  return terminal && *terminal && std::string_view(terminal) != "dumb";
}

bool is_numeric(const std::string& text) {
  return text == "-" || parse_double(text.substr(0, text.find(' '))).has_value();
}

// Nothing is left to do where even this fails; fmt::print would throw.
void write_error_output(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

std::string padded(const std::string& text, size_t to, bool right) {
  const std::string blanks(to - std::min(to, width(text)), ' ');
  return right ? blanks + text : text + blanks;
}

}  // namespace

int interrupted_exit_code() {
  return 128 + interrupt_signal();
}

int report_error(const Error& error) {
  std::string text = fmt::format("flyball: {}\n", error.message);
  if (!error.hint.empty()) text += fmt::format("HINT: {}\n", error.hint);
  write_error_output(text);
  if (error.code == Code::interrupted) return interrupted_exit_code();
  return error.code == Code::infeasible ? 1 : 2;
}

void print_refused(const Error& error) {
  if (document_printed) return;
  if (error.code == Code::infeasible || error.code == Code::out_of_memory)
    print_json({{"schema", json_schema}, {"infeasible", infeasible_json(error)}});
}

Status write_or_print(const std::string& file, const std::string& text, size_t rows, bool quiet) {
  if (file.empty()) {
    fmt::print("{}", text);
    return {};
  }
  FLYBALL_CHECK(write_file(file, text));
  if (!quiet) write_error_output(fmt::format("{}: {} row{}\n", file, rows, rows == 1 ? "" : "s"));
  return {};
}

void print_json(const Json& document) {
  document_printed = true;
  (void)write_output(
      in_asked_version(document).dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

std::string TextTable::str() const {
  std::vector<size_t> widths;
  std::vector<bool> right;
  for (size_t c = 0; c < header_.size(); ++c) {
    widths.push_back(width(header_[c]));
    right.push_back(!rows_.empty());
    for (const auto& row : rows_) {
      widths[c] = std::max(widths[c], width(row[c]));
      right[c] = right[c] && is_numeric(row[c]);
    }
  }
  std::string text;
  const auto line = [&](const std::vector<std::string>& row) {
    std::string joined;
    for (size_t c = 0; c < row.size(); ++c)
      joined += (c > 0 ? "  " : "") + padded(row[c], widths[c], right[c]);
    joined.erase(joined.find_last_not_of(' ') + 1);
    text += joined + "\n";
  };
  line(header_);
  for (const auto& row : rows_) line(row);
  return text;
}

void Progress::show(size_t done, size_t total, const std::string& what) {
  print(fmt::format("{}/{}", done, total), done, total, what);
}

void Progress::show_share(size_t done, size_t total, const std::string& what) {
  if (done == 0) since_.restart();  // another round of steps
  const size_t percent = 100 * done / std::max<size_t>(total, 1);
  // The first few steps tell nothing of the time that the others take.
  print(fmt::format("{} %", percent), percent > 0 ? done : 0, total, what);
}

// In place of what stands there.
void Progress::rewrite(const std::string& line) {
  // A terminal that cannot erase a line has it written over.
  const size_t left = knows_erase() ? 0 : width_ - std::min(width_, width(line));
  write_error_output(fmt::format("\r{}{}{}", knows_erase() ? "\033[K" : "", line,
                                 std::string(left, ' ') + std::string(left, '\b')));
  width_ = width(line);
}

void Progress::print(const std::string& progress, size_t done, size_t total,
                     const std::string& what) {
  if (quiet_) return;
  const bool terminal = ::isatty(STDERR_FILENO) != 0;
  if (shown_ && shown_->seconds() < (terminal ? 0.1 : 10)) return;
  shown_.emplace();
  std::string left;
  if (done > 0 && done < total) {
    const double remaining =
        since_.seconds() / static_cast<double>(done) * static_cast<double>(total - done);
    left = ", about " + format_seconds({remaining}) + " left";
  }
  const std::string line = fmt::format("[{}] {}{}", progress, what, left);
  if (terminal)
    rewrite(cut_to(line, terminal_columns() - 1));  // the last column may begin another line
  else
    write_error_output(line + "\n");
  open_ = terminal;
}

void Progress::finish() {
  if (open_) rewrite("");
  open_ = false;
}

}  // namespace flyball::cli
