#include "flyball/flyball_window.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <new>

#include "base/os/told_errors.h"
#include "telemetry/marks/window.h"

struct flyball_window {
  explicit flyball_window(const char* name) : window(name) {}
  flyball::Window window;
};

namespace {

thread_local std::string last_error;

int fail(const std::string& message) {
  last_error = message;
  return -1;
}

int write_totals(const flyball::WindowEnergy& energy, flyball_energy* out, int capacity) {
  const auto count = static_cast<int>(energy.totals.size());
  if (out == nullptr) return count;
  for (int i = 0; i < std::min(count, capacity); ++i) {
    const auto& [name, window] = energy.totals[static_cast<size_t>(i)];
    std::snprintf(out[i].name, sizeof out[i].name, "%s", name.c_str());
    out[i].seconds = energy.seconds;
    out[i].energy_j = window.energy_j;
    out[i].mean_w = window.mean_w;
    out[i].gap_s = window.gap_s;
  }
  return count;
}

}  // namespace

extern "C" {

flyball_window* flyball_window_begin(const char* name) {
  try {
    return new flyball_window(name != nullptr ? name : "");
  } catch (const std::exception& error) {
    fail(error.what());
    return nullptr;
  }
}

int flyball_window_end(flyball_window* window, flyball_energy* energy, int capacity) {
  if (window == nullptr) return fail("flyball_window_end: there is no window");
  const std::unique_ptr<flyball_window> freed(window);
  try {
    const auto result = window->window.end();
    if (result.ok()) return write_totals(*result, energy, capacity);
    return fail(flyball::in_one_line(result.error()));
  } catch (const std::exception& error) {
    return fail(error.what());
  }
}

void flyball_window_cancel(flyball_window* window) {
  delete window;
}

void flyball_window_set_synchronize(void (*synchronize)(void)) {
  flyball::set_window_synchronize(synchronize);
}

const char* flyball_last_error(void) {
  return last_error.c_str();
}
}
