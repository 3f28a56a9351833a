// Errors as values: what went wrong, and what the reader of the message can do about it.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace flyball {

/// Kinds of failure a caller may want to tell apart.
enum class Code {
  invalid_argument,  ///< bad use: the request itself is wrong
  not_found,         ///< a named thing does not exist
  infeasible,        ///< the answer is no: no configuration meets the budgets
  unavailable,       ///< this machine lacks a sensor, a knob or a library
  permission,        ///< it exists, but we may not touch it
  io,                ///< reading or writing failed
  corrupt,           ///< foreign data that does not hold together
  conflict,          ///< somebody else holds it
  interrupted,       ///< stopped by the user
  internal,          ///< our own mistake, or a library's
  out_of_memory,     ///< there is not enough for what was asked
};
inline constexpr Code last_code = Code::out_of_memory;

/// Name of a code as it stands in `--json` output, e.g. "not_found".
const char* code_name(Code code);

/// A failure: `message` names the thing, `hint` says what to do ("" where there is nothing to say).
struct Error {  // NOLINT(clang-analyzer-core.uninitialized.Assign): loses track of optionals
  Code code = Code::internal;
  std::string message;
  std::string hint;

  /// The same failure seen from further out: "context: message".
  Error within(const std::string& context) const { return {code, context + ": " + message, hint}; }
};

/// A value of type T, or the Error why there is none.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  // To ask for what is not there is our own mistake: std::bad_variant_access, in every build.
  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

/// Success, or an Error.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  const Error& error() const { return error_.value(); }  // std::bad_optional_access when ok()

 private:
  std::optional<Error> error_;
};

using Status = Result<void>;

}  // namespace flyball

#define FLYBALL_CONCAT_(a, b) a##b
#define FLYBALL_CONCAT(a, b) FLYBALL_CONCAT_(a, b)

/// Returns from the enclosing function when `expression` failed.
#define FLYBALL_CHECK(expression)                                       \
  do {                                                                  \
    auto flyball_status = (expression);                                 \
    if (!flyball_status.ok()) return std::move(flyball_status).error(); \
  } while (false)

/// `FLYBALL_ASSIGN(auto x, f());` takes the value of f() or returns its error.
#define FLYBALL_ASSIGN(declaration, expression) \
  FLYBALL_ASSIGN_(FLYBALL_CONCAT(flyball_result_, __LINE__), declaration, expression)
// NOLINTBEGIN(bugprone-macro-parentheses): a declaration cannot stand in parentheses
#define FLYBALL_ASSIGN_(result, declaration, expression) \
  auto result = (expression);                            \
  if (!result.ok()) return result.error();               \
  declaration = *std::move(result)
// NOLINTEND(bugprone-macro-parentheses)
