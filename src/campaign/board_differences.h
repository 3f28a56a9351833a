// How much boards of one kind differ where they measured the same configuration.
#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "campaign/report.h"

namespace flyball {

class BoardDifferences {
 public:
  /// Takes what the cell's answer says that it measured (`measured` of a tune).
  void add(const CellAnswer& cell, const Json& answer);
  /// Of each kind and question with two boards or more.
  std::vector<KindSpread> all() const;

 private:
  using ByBoard = std::map<std::string, MinibatchOf>;
  struct Group {
    /// By configuration, provenance and total of power.
    std::map<std::tuple<std::string, std::string, std::string>, ByBoard> configurations;
    std::set<std::string> boards;
    std::map<std::string, bool> provenances;
  };
  using Key = std::tuple<std::string, std::string, std::string, std::string>;

  static KindSpread spread_of(const Key& key, const Group& group);

  std::map<Key, Group> groups_;
};

}  // namespace flyball
