// The functions behind the Python package: thin, so that a mark costs next to nothing.
#include <pybind11/pybind11.h>

#include <stdexcept>

#include "flyball/flyball_marks.h"
#include "telemetry/marks/window.h"

namespace py = pybind11;

namespace {

py::dict totals_of(const flyball::WindowEnergy& energy) {
  py::dict totals;
  for (const auto& [name, window] : energy.totals) {
    py::dict total;
    total["energy_j"] = window.energy_j;
    total["mean_w"] = window.mean_w;
    total["gap_s"] = window.gap_s;
    totals[py::str(name)] = total;
  }
  return totals;
}

// Seconds, totals, and why there are none ("" when there are).
py::tuple end_window(flyball::Window& window) {
  const auto energy = window.end();
  if (energy) return py::make_tuple(energy->seconds, totals_of(*energy), "");
  const flyball::Error& error = energy.error();
  if (error.code == flyball::Code::invalid_argument) throw std::runtime_error(error.message);
  return py::make_tuple(py::none(), py::dict(),
                        error.message + (error.hint.empty() ? "" : " (" + error.hint + ")"));
}

void set_synchronize(py::object function) {
  if (function.is_none()) return flyball::set_window_synchronize({});
  // Kept for good: at exit the interpreter is gone before our statics are.
  auto* const kept = new py::object(std::move(function));
  flyball::set_window_synchronize([kept] {
    const py::gil_scoped_acquire lock;
    (*kept)();
  });
}

}  // namespace

PYBIND11_MODULE(_flyball, module) {
  module.def("marked", [] { return flyball_marked() != 0; });
  module.def("minibatch", [] { flyball_minibatch(); });
  module.def("setting", [](const std::string& name, double otherwise) {
    return flyball_setting(name.c_str(), otherwise);
  });
  module.def("stall_begin", [] { flyball_stall_begin(); });
  module.def("stall_end", [] { flyball_stall_end(); });
  module.def("compute_begin", [] { flyball_compute_begin(); });
  module.def("compute_end", [] { flyball_compute_end(); });
  module.def("set_synchronize", set_synchronize);
  py::class_<flyball::Window>(module, "Window")
      .def(
          py::init([](const std::string& name) { return std::make_unique<flyball::Window>(name); }))
      .def("name", &flyball::Window::name)
      .def("cancel", &flyball::Window::cancel)
      .def("end", end_window);
}
