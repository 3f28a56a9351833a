// A measured table as a board.
#include <fmt/format.h>

#include "device/registry/board.h"

namespace flyball {
namespace {

class TableBoard final : public Board {
 public:
  TableBoard(const BoardName& name, Table table) : table_(std::move(table)) {
    info_.name = name;
    info_.device.name = table_.workloads.front().device;
    info_.device.title = "table " + table_.name;
    info_.device.fingerprint = info_.device.title;
    info_.compute = "";
    info_.provenance = Provenance::table;
  }

  const BoardInfo& info() const override { return info_; }
  const Table* table() const override { return &table_; }
  using Board::knobs;
  Result<std::unique_ptr<Device>> knobs(ReportLeft) const override {
    return Error{Code::invalid_argument, "a table has no knobs to set",
                 "name a board: --device host"};
  }
  std::unique_ptr<PowerMeter> power() const override {
    return make_no_power("a table is read, not measured");
  }

 private:
  Table table_;
  BoardInfo info_;
};

}  // namespace

Result<std::unique_ptr<Board>> open_table_board(const BoardName& name,
                                                const std::filesystem::path&) {
  FLYBALL_ASSIGN(Table table, read_table(name.argument));
  return std::unique_ptr<Board>(std::make_unique<TableBoard>(name, std::move(table)));
}

}  // namespace flyball
