#include "predict/gp/surface_forms.h"

#include "predict/gp/power_form.h"
#include "predict/gp/time_form.h"

namespace flyball {

SurfaceForm time_surface(const Coordinates& coordinates) {
  const TimeForm form(coordinates);
  return {
      form.parameters(),
      [form](const SurfaceRows& rows, const Vector& theta) { return form.at(rows.rows, theta); },
      [form](const SurfaceRows& rows, const Vector& theta) { return form.value(rows.rows, theta); },
      [form](const Matrix& jacobian) { return form.cpu_share(jacobian); }};
}

SurfaceForm power_surface(const Coordinates& coordinates) {
  const PowerForm form(coordinates);
  return {form.parameters(),
          [form](const SurfaceRows& rows, const Vector& theta) {
            return form.at(rows.rows, rows.log_time, theta);
          },
          [form](const SurfaceRows& rows, const Vector& theta) {
            return form.value(rows.rows, rows.log_time, theta);
          },
          [form](const Matrix& jacobian) { return form.activity_share(jacobian); }};
}

}  // namespace flyball
