// A file of boards/ as TOML, and errors that name its lines.
#pragma once

#include <toml++/toml.h>
#include <set>
#include <string>
#include <utility>

#include "base/status.h"

namespace flyball {

class BoardFile {
 public:
  /// `page`: of docs/, which says what stands in the part that is read. Error: no TOML.
  static Result<BoardFile> parse(const std::string& text, const std::string& name,
                                 const char* page);

  const toml::table& document() const { return document_; }
  Error at(const toml::source_region& where, const std::string& complaint) const;
  /// Error: the table has a key that is not known.
  Status only(const toml::table& table, const std::set<std::string>& known) const;

 private:
  BoardFile(std::string name, const char* page) : name_(std::move(name)), page_(page) {}

  std::string name_;
  const char* page_;
  toml::table document_{};
};

}  // namespace flyball
