#include "sql/postgres_connection.h"

#include "sql/postgres_place.h"

#ifdef FLYBALL_POSTGRES
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <map>

#include "base/text.h"
#include "sql/libpq.h"
#include "sql/postgres_errors.h"
#include "sql/postgres_text.h"

namespace flyball {
namespace {

constexpr Oid bool_type = 16, bytea_type = 17, int8_type = 20, text_type = 25, float8_type = 701;

Oid type_of(const Value& value) {
  if (std::holds_alternative<bool>(value.held)) return bool_type;
  if (std::holds_alternative<int64_t>(value.held)) return int8_type;
  if (std::holds_alternative<double>(value.held)) return float8_type;
  return std::holds_alternative<Value::Blob>(value.held) ? bytea_type : text_type;
}

// One row of an answer in text.
class PostgresRow final : public Row {
 public:
  PostgresRow(const Libpq& pq, const PGresult* result) : pq_(pq), result_(result) {}
  bool is_null(int column) const override { return pq_.PQgetisnull(result_, 0, column) != 0; }
  int64_t integer(int column) const override {
    const std::string_view text = raw(column);
    if (text == "t") return 1;
    if (const auto whole = parse_integer(text)) return *whole;
    const auto real = parse_double(text);
    return real && std::abs(*real) < 9e18 ? static_cast<int64_t>(*real) : 0;
  }
  double real(int column) const override {
    return is_null(column) ? std::nan("") : parse_double(raw(column)).value_or(std::nan(""));
  }
  std::string_view blob(int column) const override {
    if (pq_.PQftype(result_, column) != bytea_type) return raw(column);
    return bytes_[column] = bytes_of_hex(raw(column));
  }
  Value value(int column) const override {
    if (is_null(column)) return {};
    switch (pq_.PQftype(result_, column)) {
      case bool_type:
        return integer(column) != 0;
      case int8_type:
        return integer(column);
      case float8_type:
        return real(column);
      case bytea_type:
        return Value::Blob{blob(column)};
      default:
        return raw(column);
    }
  }

 private:
  std::string_view raw(int column) const {
    return {pq_.PQgetvalue(result_, 0, column),
            static_cast<size_t>(pq_.PQgetlength(result_, 0, column))};
  }
  const Libpq& pq_;
  const PGresult* result_;
  mutable std::map<int, std::string> bytes_;
};

class PostgresConnection final : public SqlConnection {
 public:
  PostgresConnection(const Libpq& pq, PGconn* connection, std::string place)
      : pq_(pq), connection_(connection), place_(std::move(place)) {}
  PostgresConnection(const PostgresConnection&) = delete;
  PostgresConnection& operator=(const PostgresConnection&) = delete;
  ~PostgresConnection() override { pq_.PQfinish(connection_); }

  DatabaseKind kind() const override { return DatabaseKind::postgres; }

  Status run(std::string_view sql, std::span<const Value> values,
             const Database::OnRow& on_row) override {
    FLYBALL_ASSIGN(const std::string name, prepare(sql, values));
    std::vector<std::string> texts;
    texts.reserve(values.size());
    for (const Value& value : values) texts.push_back(postgres_text(value));
    std::vector<const char*> pointers;
    for (const std::string& text : texts) pointers.push_back(text.c_str());
    if (!pq_.PQsendQueryPrepared(connection_, name.c_str(), static_cast<int>(texts.size()),
                                 pointers.data(), nullptr, nullptr, 0))
      return failure(nullptr);
    pq_.PQsetSingleRowMode(connection_);
    return take_answers(on_row);
  }

  Status run_script(const char* sql) override {
    const Answer answer(pq_, pq_.PQexec(connection_, sql));
    return checked(answer.result);
  }

  Status begin_writing() override { return run_script("BEGIN"); }
  Status use_wal() override { return {}; }
  Status check(bool) override { return {}; }

  Result<std::vector<int64_t>> reserve_ids(const std::string& table, size_t count) override {
    std::vector<int64_t> ids;
    const Value number(static_cast<int64_t>(count));
    FLYBALL_CHECK(run(fmt::format("SELECT nextval(pg_get_serial_sequence('flyball.{}', 'id')) FROM "
                                  "generate_series(1, ?)",
                                  table),
                      {&number, 1}, [&](const Row& row) {
                        ids.push_back(row.integer(0));
                        return Status();
                      }));
    return ids;
  }

  Status append(const std::string& table, const std::vector<std::string>& columns,
                const Database::AddRows& add) override {
    const std::string sql = fmt::format("COPY {}({}) FROM STDIN", table, join(columns, ", "));
    {
      const Answer answer(pq_, pq_.PQexec(connection_, sql.c_str()));
      if (pq_.PQresultStatus(answer.result) != PGRES_COPY_IN) return failure(answer.result);
    }
    constexpr size_t sent_at_once = 64 << 10;
    std::string text;
    const auto send = [&]() -> Status {
      if (pq_.PQputCopyData(connection_, text.data(), static_cast<int>(text.size())) != 1)
        return failure(nullptr);
      text.clear();
      return {};
    };
    Status added = add([&](std::span<const Value> row) -> Status {
      append_copy_row(text, row);
      return text.size() < sent_at_once ? Status() : send();
    });
    if (added && !text.empty()) added = send();
    pq_.PQputCopyEnd(connection_, added ? nullptr : "given up");
    const Status taken = take_answers({});
    return added ? taken : added;
  }

  int64_t last_id() const override { return 0; }
  int64_t changes() const override { return changes_; }

 private:
  struct Answer {
    Answer(const Libpq& pq, PGresult* taken) : library(pq), result(taken) {}
    Answer(const Answer&) = delete;
    Answer& operator=(const Answer&) = delete;
    ~Answer() { library.PQclear(result); }
    const Libpq& library;
    PGresult* result;
  };

  Error failure(const PGresult* result) const {
    const char* state = result ? pq_.PQresultErrorField(result, PG_DIAG_SQLSTATE) : nullptr;
    const char* reason = result ? pq_.PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY) : nullptr;
    const bool lost = pq_.PQstatus(connection_) == CONNECTION_BAD;
    return postgres_error(place_, lost || !state ? "08006" : state,
                          reason ? reason : pq_.PQerrorMessage(connection_));
  }

  Status checked(const PGresult* result) const {
    const ExecStatusType status = pq_.PQresultStatus(result);
    if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK) return {};
    return failure(result);
  }

  // Until the server has nothing more to say; the first error counts. One of `on_row` stops it.
  Status take_answers(const Database::OnRow& on_row) {
    Status status;
    while (PGresult* const result = pq_.PQgetResult(connection_)) {
      const Answer answer(pq_, result);
      if (!status) continue;
      if (pq_.PQresultStatus(result) == PGRES_SINGLE_TUPLE) {
        if (on_row) status = on_row(PostgresRow(pq_, result));
        if (!status) stop();
        continue;
      }
      status = checked(result);
      if (status) changes_ = parse_integer(pq_.PQcmdTuples(result)).value_or(0);
    }
    if (status && pq_.PQstatus(connection_) == CONNECTION_BAD) return failure(nullptr);
    return status;
  }

  void stop() {
    char ignored[256];
    PGcancel* const cancel = pq_.PQgetCancel(connection_);
    if (cancel) pq_.PQcancel(cancel, ignored, sizeof ignored);
    pq_.PQfreeCancel(cancel);
  }

  // The name of a prepared statement: one for each set of types, and of values that are NULL.
  Result<std::string> prepare(std::string_view sql, std::span<const Value> values) {
    std::vector<Oid> types;
    std::string key = postgres_statement(sql, values);
    const std::string text = key;
    for (const Value& value : values) {
      types.push_back(type_of(value));
      key += fmt::format(" {}", types.back());
    }
    const auto known = prepared_.find(key);
    if (known != prepared_.end()) return known->second;
    const std::string name = fmt::format("s{}", prepared_.size());
    const Answer answer(pq_, pq_.PQprepare(connection_, name.c_str(), text.c_str(),
                                           static_cast<int>(types.size()), types.data()));
    FLYBALL_CHECK(checked(answer.result));
    prepared_.emplace(std::move(key), name);
    return name;
  }

  const Libpq& pq_;
  PGconn* connection_;
  std::string place_;
  int64_t changes_ = 0;
  std::map<std::string, std::string, std::less<>> prepared_;
};

using Options = std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)>;

std::string option_of(const PQconninfoOption* options, const std::string& name) {
  for (; options && options->keyword; ++options)
    if (options->keyword == name && options->val) return options->val;
  return "";
}

// What is typed is seen by everybody who lists processes, and kept by shells.
Status check_name(const Libpq& pq, const std::string& place) {
  char* complaint = nullptr;
  const Options options(pq.PQconninfoParse(place.c_str(), &complaint), pq.PQconninfoFree);
  if (complaint) pq.PQfreemem(complaint);  // it may show what was typed
  if (!options)
    return Error{Code::invalid_argument, "the name of the PostgreSQL database does not parse",
                 "it is postgresql://[USER@]HOST[:PORT]/DATABASE[?sslmode=verify-full], or "
                 "service=NAME of ~/.pg_service.conf"};
  for (const char* secret : {"password", "sslpassword"})
    if (!option_of(options.get(), secret).empty()) return password_in_place();
  return {};
}

bool is_local(const std::string& host, const std::string& address) {
  return host.empty() || host.front() == '/' || host.front() == '@' || address == "::1" ||
         address.starts_with("127.");
}

// Encrypted before a password is said, not found out afterwards; nullptr: as the environment says.
const char* wanted_sslmode(const Libpq& pq, const std::string& place) {
  if (std::getenv("PGSSLMODE") || place.starts_with("service=")) return nullptr;
  const Options options(pq.PQconninfoParse(place.c_str(), nullptr), pq.PQconninfoFree);
  const char* const known = std::getenv("PGHOST");
  std::string host = option_of(options.get(), "host"),
              address = option_of(options.get(), "hostaddr");
  if (host.empty() && known) host = known;
  if (host == "localhost" || address == "::1" || address.starts_with("127.")) return nullptr;
  return is_local(host, host) ? nullptr : "require";
}

Status check_encryption(const Libpq& pq, PGconn* connection, const std::string& place) {
  const char *host = pq.PQhost(connection), *address = pq.PQhostaddr(connection);
  if (pq.PQsslInUse(connection) || is_local(host ? host : "", address ? address : "")) return {};
  const Options options(pq.PQconninfo(connection), pq.PQconninfoFree);
  if (option_of(options.get(), "sslmode") == "disable") return {};
  return not_encrypted(place);
}

}  // namespace

Status check_postgres_place(const std::string& place) {
  FLYBALL_ASSIGN(const Libpq* const pq, load_libpq());
  return check_name(*pq, place);
}

Result<std::unique_ptr<SqlConnection>> connect_postgres(const std::string& place, bool read_only) {
  FLYBALL_ASSIGN(const Libpq* const pq, load_libpq());
  FLYBALL_CHECK(check_name(*pq, place));
  // What the name says comes last and counts.
  const char* const names[] = {"fallback_application_name",
                               "connect_timeout",
                               "tcp_user_timeout",
                               "client_encoding",
                               "sslmode",
                               "dbname",
                               nullptr};
  const char* const values[] = {"flyball",     "10",   "60000", "UTF8", wanted_sslmode(*pq, place),
                                place.c_str(), nullptr};
  PGconn* const raw = pq->PQconnectdbParams(names, values, 1);
  auto made = std::make_unique<PostgresConnection>(*pq, raw, place);
  if (pq->PQstatus(raw) != CONNECTION_OK) return connection_refused(place, pq->PQerrorMessage(raw));
  pq->PQsetNoticeProcessor(
      raw, [](void*, const char*) {}, nullptr);
  FLYBALL_CHECK(check_encryption(*pq, raw, place));
  const std::string settings = fmt::format(
      "SET search_path = flyball, pg_temp; SET bytea_output = 'hex'; SET extra_float_digits = 1; "
      "{}",
      read_only ? "SET default_transaction_read_only = on; SET work_mem = '64MB'"
                : "SET default_transaction_read_only = off");
  FLYBALL_CHECK(made->run_script(settings.c_str()));
  return std::unique_ptr<SqlConnection>(std::move(made));
}

}  // namespace flyball

#else

namespace flyball {

Status check_postgres_place(const std::string& place) {
  return connect_postgres(place, true).error();
}

Result<std::unique_ptr<SqlConnection>> connect_postgres(const std::string&, bool) {
  return Error{Code::unavailable,
               FLYBALL_STATIC
                   ? "this is the static program, which loads no libraries: it knows no PostgreSQL"
                   : "this program was built without PostgreSQL",
               FLYBALL_STATIC ? "collect with a program that was built from source, on the machine "
                                "that reaches the database; into a file it works here, too"
                              : "install libpq-dev (scripts/setup), and build again"};
}

}  // namespace flyball
#endif
