// Foreign tables: whose columns are called otherwise, or count in other units.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "space/table.h"

namespace flyball {

/// Where one column of the tidy form comes from.
struct MapClause {
  std::string target;  ///< a tidy column: device, workload, phase, an axis, minibatch_ms, …
  std::string source;  ///< the foreign column, or the value itself when `constant`
  bool constant = false;
  std::string unit;  ///< of the foreign column; "" when it is the target's own
  /// A foreign number is multiplied, then divided by these; one of them is 1, so that 1190400 kHz
  /// are exactly 1190.4 MHz.
  double multiply = 1, divide = 1;
};

using ImportMap = std::vector<MapClause>;

/// Readings of one configuration that differ by a factor of more than this contradict each other:
/// one is a mistake, or of another machine.
inline constexpr double contradiction = 2;

/// Reads clauses of two forms:
///     TARGET=COLUMN[:UNIT]   cpu_mhz=cpu_freq_khz:kHz   power_w=total:mW   minibatch_ms=time:s
///     TARGET==VALUE          device==orin_agx           phase==train       batch_size==16
/// Units are Hz, kHz, MHz, GHz for targets in _mhz; mW, W, kW for _w; ns, us, ms, s, min for _ms
/// and _s; the unit stands after the last colon, so a column `a:b` is written `a:b:`.
/// Errors: a clause of neither form, a target given twice, a unit that does not fit the target, a
/// constant that is not what its target holds.
Result<ImportMap> parse_import_map(const std::vector<std::string>& clauses);

/// A foreign table in tidy form, and what of it was not taken.
struct Imported {
  Table table;
  std::vector<std::string> ignored_columns;
  std::vector<std::string>
      notes{};  ///< rows that were left out, and why; rows that contradict others
};

/// Reads a foreign table. Without clauses it must be tidy already. With clauses a column is taken
/// when a clause names it, or when it has the name of a known tidy column that no clause gives;
/// others are ignored, by name. Every row is checked: the error names file, line and the foreign
/// column, and nothing is returned but the whole table.
Result<Imported> import_table(const Csv& csv, const ImportMap& map);
Result<Imported> import_table(const std::filesystem::path& path, const ImportMap& map);

}  // namespace flyball
