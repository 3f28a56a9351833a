// How much boards of one kind differ where they measured the same configuration.
#pragma once

#include <map>
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
  struct Figures {
    double ms = 0, joules = 0;  ///< of a minibatch; joules 0: not known
  };
  using ByBoard = std::map<std::string, Figures>;
  struct Group {
    std::map<std::string, ByBoard> configurations;
    std::map<std::string, bool> boards;
    std::map<std::string, bool> provenances;
  };
  using Key = std::tuple<std::string, std::string, std::string, std::string>;

  static KindSpread spread_of(const Key& key, const Group& group);

  std::map<Key, Group> groups_;
};

}  // namespace flyball
