// Clients of federated training out of a CSV file.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <set>

#include "base/text.h"
#include "fleet/rounds/population.h"

namespace flyball {
namespace {

struct ClientColumn {
  const char* name;
  double RoundClient::*field;
  double least, most;
  bool required;
  const char* must;
};
constexpr std::array client_columns = {
    ClientColumn{"samples", &RoundClient::samples, 1, 1e12, true, "samples are at least 1"},
    ClientColumn{"available", &RoundClient::available, 0, 1, false, "a share from 0 to 1"},
    ClientColumn{"dropout", &RoundClient::dropout, 0, 1, false, "a share from 0 to 1"},
    ClientColumn{"transfer_s", &RoundClient::transfer_s, 0, 1e9, false, "seconds, at least 0"},
    ClientColumn{"slowness", &RoundClient::slowness, 0.01, 100, false,
                 "times of a minibatch beside its kind's, 0.01 to 100"},
};

Status read_field(const Csv& csv, size_t row, const ClientColumn& of, RoundClient& client) {
  const auto column = csv.column(of.name);
  if (!column || (!of.required && trim(csv.rows[row][*column]).empty())) return {};
  FLYBALL_ASSIGN(const double value, csv.number(row, *column));
  if (value < of.least || value > of.most) return csv.at(row, *column, "is out of range", of.must);
  client.*of.field = value;
  return {};
}

}  // namespace

Result<std::vector<ClientRow>> parse_clients(const Csv& csv) {
  FLYBALL_CHECK(csv.check_columns({"client", "board", "samples"},
                                  {"available", "dropout", "transfer_s", "slowness"},
                                  "clients have"));
  if (csv.rows.size() > most_clients)
    return Error{Code::invalid_argument,
                 fmt::format("{} has {} clients", csv.name, csv.rows.size()),
                 fmt::format("at most {} are taken", most_clients)};
  const size_t client = *csv.column("client"), board = *csv.column("board");
  std::vector<ClientRow> rows;
  std::set<std::string> names;
  for (size_t row = 0; row < csv.rows.size(); ++row) {
    ClientRow one{
        std::string(trim(csv.rows[row][client])), std::string(trim(csv.rows[row][board])), {}};
    if (one.name.empty()) return csv.at(row, client, "is empty", "name the client");
    if (!names.insert(one.name).second)
      return csv.at(row, client, "is there twice", "name each client once");
    if (one.board.empty()) return csv.at(row, board, "is empty", "name a board: twin:orin_nano");
    for (const ClientColumn& column : client_columns)
      FLYBALL_CHECK(read_field(csv, row, column, one.client));
    rows.push_back(std::move(one));
  }
  if (rows.empty())
    return Error{Code::invalid_argument, csv.name + " has no clients", "one line for each"};
  return rows;
}

Result<std::vector<ClientRow>> read_clients(const std::filesystem::path& file) {
  FLYBALL_ASSIGN(const Csv csv, read_csv(file));
  return parse_clients(csv);
}

}  // namespace flyball
