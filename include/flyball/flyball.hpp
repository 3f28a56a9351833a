// Minibatch marks and energy windows for C++ programs, over the functions of libflyball. C++11.
//
//   while (training) {
//     { flyball::Stall stall;     batch = loader.next(); }
//     { flyball::Compute compute; train(model, batch); }
//     flyball::minibatch();
//   }
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "flyball_marks.h"
#include "flyball_window.h"

namespace flyball {
inline namespace native {

/// A minibatch has ended. Does nothing unless Flyball profiles or tunes this program.
inline void minibatch() {
  flyball_minibatch();
}

/// What `flyball tune --axis NAME=…` wants in this trial, in the type of `otherwise`:
/// flyball::setting("batch_size", 16). See flyball_setting().
template <class Number>
Number setting(const char* name, Number otherwise) {
  return static_cast<Number>(flyball_setting(name, static_cast<double>(otherwise)));
}

/// The program waits for data while one of these lives.
class Stall {
 public:
  Stall() { flyball_stall_begin(); }
  ~Stall() { flyball_stall_end(); }
  Stall(const Stall&) = delete;
  Stall& operator=(const Stall&) = delete;
};

/// It computes while one of these lives.
class Compute {
 public:
  Compute() { flyball_compute_begin(); }
  ~Compute() { flyball_compute_end(); }
  Compute(const Compute&) = delete;
  Compute& operator=(const Compute&) = delete;
};

/// Energy of the code between construction and end(); dropped without end() it is cancelled.
class Window {
 public:
  explicit Window(const std::string& name) : window_(flyball_window_begin(name.c_str())) {}
  ~Window() { cancel(); }
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  /// Every total of the machine. Throws std::runtime_error that says why there is none.
  std::vector<flyball_energy> end() {
    std::vector<flyball_energy> totals(FLYBALL_MAX_TOTALS);
    const int count = flyball_window_end(window_, totals.data(), FLYBALL_MAX_TOTALS);
    window_ = nullptr;
    if (count < 0) throw std::runtime_error(flyball_last_error());
    if (count < FLYBALL_MAX_TOTALS) totals.resize(static_cast<std::size_t>(count));
    return totals;
  }
  void cancel() {
    flyball_window_cancel(window_);
    window_ = nullptr;
  }

 private:
  flyball_window* window_;
};

}  // namespace native
}  // namespace flyball
