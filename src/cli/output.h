// What all commands print alike: tables, one JSON document, errors with a hint, progress.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/figure.h"
#include "base/json.h"
#include "base/status.h"
#include "cli/commands.h"

namespace flyball::cli {

/// As shells have it: 128 and the number of the signal that asked us to stop, 130 for Ctrl-C.
int interrupted_exit_code();
/// Prints "flyball: message" and "HINT: …" on stderr and returns the exit code: 1 when the answer
/// is no (infeasible), interrupted_exit_code() when the user stopped it, else 2.
int report_error(const Error& error);

/// The one document of `--json`, on stdout. NaN and infinite become null.
void print_json(const Json& document);

/// With --json, of a command that ends so without a document of its own: where nothing that could
/// be tried fits, that is an answer, as any other that is infeasible, and one document says so.
void print_refused(const Error& error);

/// Into the file, which one line on stderr then names with how much it holds (unless `quiet`), or
/// on stdout where none is named.
Status write_or_print(const std::string& file, const std::string& text, size_t rows,
                      bool quiet = false);

/// Columns aligned under a header; numbers to the right, text to the left.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header) : header_(std::move(header)) {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  bool empty() const { return rows_.empty(); }
  std::string str() const;

 private:
  std::vector<std::string> header_;
  std::vector<std::vector<std::string>> rows_;
};

/// A line on stderr that is rewritten in a terminal, cut to its width, and printed at intervals
/// elsewhere, with an estimate of the time left.
class Progress {
 public:
  explicit Progress(bool quiet) : quiet_(quiet) {}
  ~Progress() { finish(); }
  /// `done` of `total` steps; `what` is the present one.
  void show(size_t done, size_t total, const std::string& what);
  /// For steps too small to be counted aloud: shows percent. At 0 the time left is counted anew.
  void show_share(size_t done, size_t total, const std::string& what);
  void finish();

 private:
  void print(const std::string& progress, size_t done, size_t total, const std::string& what);
  void rewrite(const std::string& line);

  bool quiet_;
  bool open_ = false;
  size_t width_ = 0;                ///< of the line that is open
  Stopwatch since_;                 ///< the steps that are counted were begun
  std::optional<Stopwatch> shown_;  ///< the last line
};

}  // namespace flyball::cli
