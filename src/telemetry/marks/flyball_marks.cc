#include "flyball/flyball_marks.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/own_variables.h"
#include "telemetry/marks/marks.h"
#include "telemetry/marks/window.h"

namespace {

// Time of the present minibatch between begins and ends; −1 when there were none. Of a stretch
// within one of the other kind the time is its own: no moment counts twice.
class Stretch {
 public:
  explicit constexpr Stretch(Stretch& other) : other_(other) {}

  void begin() {
    interrupts_ = interrupts_ || other_.begin_ns_ != 0;
    other_.stop();
    begin_ns_ = flyball::monotonic_ns();
  }
  // An end without a begin is nothing.
  void end() {
    stop();
    other_.interrupts_ = false;
    if (std::exchange(interrupts_, false)) other_.begin_ns_ = flyball::monotonic_ns();
  }
  int64_t take() { return std::exchange(total_ns_, -1); }

 private:
  void stop() {
    if (begin_ns_ == 0) return;
    total_ns_ = std::max<int64_t>(total_ns_, 0) + flyball::monotonic_ns() - begin_ns_;
    begin_ns_ = 0;
  }

  Stretch& other_;
  int64_t begin_ns_ = 0, total_ns_ = -1;
  bool interrupts_ = false;  // the other goes on at the end of this one
};

extern Stretch compute;
constinit Stretch stall(compute), compute(stall);

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
  if (name == nullptr) return;
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
