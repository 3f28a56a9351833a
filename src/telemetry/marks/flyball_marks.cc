#include "flyball/flyball_marks.h"

#include <bit>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/clock.h"
#include "base/own_variables.h"
#include "telemetry/marks/marks.h"
#include "telemetry/marks/window.h"

namespace {

// Time of the present minibatch between begins and ends; −1 when there were none.
struct Stretch {
  int64_t begin_ns = 0, total_ns = -1;

  void begin() { begin_ns = flyball::monotonic_ns(); }
  void end() {
    if (begin_ns == 0) return;  // an end without a begin
    total_ns = (total_ns < 0 ? 0 : total_ns) + flyball::monotonic_ns() - begin_ns;
    begin_ns = 0;
  }
  int64_t take() {
    const int64_t taken = total_ns;
    total_ns = -1;
    return taken;
  }
};

Stretch stall, compute;

}  // namespace

extern "C" {

int flyball_marked(void) {
  return flyball::marks::wanted() ? 1 : 0;
}

double flyball_setting(const char* name, double otherwise) {
  if (name == nullptr) return otherwise;
  flyball::marks::write(flyball::MarkKind::setting, -1, -1, name);
  std::string variable = "FLYBALL_";
  for (const char* c = name; *c != '\0'; ++c)
    variable += static_cast<char>(std::toupper(static_cast<unsigned char>(*c)));
  if (flyball::is_own_variable(variable)) return otherwise;  // the user's own, and no setting
  const char* text = std::getenv(variable.c_str());
  if (text == nullptr) return otherwise;
  // Whatever the program's locale: strtod() may want a comma.
  const char* end = text + std::strlen(text);
  double value = 0;
  const auto [stopped, problem] = std::from_chars(text + (*text == '+'), end, value);
  return problem == std::errc() && stopped == end ? value : otherwise;
}

void flyball_report(const char* name, double value) {
  if (name == nullptr || !std::isfinite(value)) return;
  flyball::marks::write(flyball::MarkKind::figure, std::bit_cast<int64_t>(value), -1, name);
}

void flyball_minibatch(void) {
  if (!flyball::marks::wanted()) return;
  flyball::marks::write(flyball::MarkKind::minibatch, stall.take(), compute.take(), "");
}

void flyball_stall_begin(void) {
  if (flyball::marks::wanted()) stall.begin();
}

void flyball_stall_end(void) {
  if (flyball::marks::wanted()) stall.end();
}

void flyball_compute_begin(void) {
  if (flyball::marks::wanted()) compute.begin();
}

void flyball_compute_end(void) {
  if (!flyball::marks::wanted()) return;
  flyball::synchronize_for_window();
  compute.end();
}
}
