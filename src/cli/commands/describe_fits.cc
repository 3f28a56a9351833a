#include "cli/commands/describe_fits.h"

#include <fmt/format.h>

#include "boards/capacity.h"
#include "cli/output.h"
#include "cost/networks.h"
#include "workload/workload.h"

namespace flyball::cli {
namespace {

struct BoardRoom {
  std::string name;
  BoardCapacity capacity;
};

/// One network: what a step needs, and the largest batch on each board.
struct FitsRow {
  KnownNetwork network;
  double needed = 0;  ///< at the batch size that was asked for, else at 1
  std::vector<int64_t> largest;
};

Result<std::vector<BoardRoom>> boards() {
  std::vector<BoardRoom> all;
  for (const std::string& name : boards_with_capacity()) {
    FLYBALL_ASSIGN(BoardCapacity capacity, board_capacity(name));
    all.push_back({name, std::move(capacity)});
  }
  return all;
}

Result<FitsRow> row_of(const KnownNetwork& network, const FitsQuestion& question,
                       const std::vector<BoardRoom>& boards) {
  FLYBALL_ASSIGN(const NetworkMemory memory,
                 network_memory(network.name, question.phase, network.input));
  const auto batch = static_cast<double>(question.batch_size.value_or(1));
  FitsRow row{network, memory.needed(batch), {}};
  for (const BoardRoom& board : boards)
    row.largest.push_back(memory.largest_batch(board.capacity.left_bytes()));
  return row;
}

/// As its workload is called; of what is none as its table has it.
std::string workload_name(const KnownNetwork& network) {
  for (const Workload& one : workloads())
    if (same_network(one.name, network.name)) return one.name;
  return network.name;
}

std::string cell(int64_t largest, const FitsQuestion& question) {
  if (!question.batch_size) return largest == 0 ? "-" : fmt::format("{}", largest);
  if (largest >= *question.batch_size) return "yes";
  return largest == 0 ? "no" : fmt::format("no ({})", largest);
}

void print_text(const std::vector<BoardRoom>& boards, const std::vector<FitsRow>& rows,
                const FitsQuestion& question) {
  std::vector<std::string> header = {"network", "input", "needs"};
  for (const BoardRoom& board : boards) header.push_back(board.name);
  TextTable table(header);
  for (const FitsRow& row : rows) {
    std::vector<std::string> cells = {workload_name(row.network), row.network.input,
                                      number(row.needed * 1e-6) + " MB"};
    for (const int64_t largest : row.largest) cells.push_back(cell(largest, question));
    table.add(std::move(cells));
  }
  const std::string doing = question.phase == Phase::train ? "training" : "inference";
  if (question.batch_size)
    fmt::print("memory for {} at batch size {}: yes, or no and the largest batch that fits\n\n",
               doing, *question.batch_size);
  else
    fmt::print("the largest batch whose {} fits into the memory (- : none)\n\n", doing);
  fmt::print(
      "{}\nneeds: what a process keeps of {} samples, and one minibatch of them; a board "
      "leaves it",
      table.str(), question.batch_size.value_or(1));
  for (const BoardRoom& board : boards)
    fmt::print("{} {} {:.1f} GB", &board == &boards.front() ? "" : ",", board.name,
               board.capacity.left_bytes() * 1e-9);
  fmt::print("\n");
}

Json fits_json(const std::vector<BoardRoom>& boards, const std::vector<FitsRow>& rows,
               const FitsQuestion& question) {
  Json networks = Json::array(), known = Json::array();
  for (const BoardRoom& board : boards)
    known.push_back({{"name", board.name},
                     {"available_bytes", board.capacity.left_bytes()},
                     {"sources", board.capacity.sources}});
  for (const FitsRow& row : rows) {
    Json on = Json::array();
    for (size_t i = 0; i < boards.size(); ++i)
      on.push_back({{"name", boards[i].name},
                    {"fits", row.largest[i] >= question.batch_size.value_or(1)},
                    {"largest_batch", row.largest[i]}});
    networks.push_back({{"workload", workload_name(row.network)},
                        {"input", row.network.input},
                        {"needed_bytes", row.needed},
                        {"on", std::move(on)}});
  }
  return {{"phase", phase_name(question.phase)},
          {"batch_size", question.batch_size.value_or(1)},
          {"boards", std::move(known)},
          {"networks", std::move(networks)}};
}

}  // namespace

Status describe_fits(const FitsQuestion& question) {
  FLYBALL_ASSIGN(const std::vector<BoardRoom> known, boards());
  std::vector<KnownNetwork> networks = known_networks();
  if (!question.network.empty()) {
    std::erase_if(networks, [&](const KnownNetwork& one) {
      return !same_network(one.name, question.network);
    });
    // Its error names those that there are.
    if (networks.empty()) return network_memory(question.network, question.phase).error();
  }
  std::vector<FitsRow> rows;
  for (const KnownNetwork& network : networks) {
    FLYBALL_ASSIGN(FitsRow row, row_of(network, question, known));
    rows.push_back(std::move(row));
  }
  if (question.json)
    print_json(fits_json(known, rows, question));
  else
    print_text(known, rows, question);
  return {};
}

}  // namespace flyball::cli
