/* A stand-in for NVIDIA's management library, for tests. FAKE_NVML says how it behaves:
 * a list of words: "no_energy" and "no_power" (not supported), "no_driver" (does not start),
 * "no_permission" (throttle reasons), "lost" (every metric fails), "hot" (throttled), "none" (no
 * GPU), "step=MS" (how often the energy counters move; 50 ms otherwise). Two GPUs otherwise, the
 * first at a constant 100 W, the second at 50 W, whose counters move at different times. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
  int index;
} Device;

static Device devices[2] = {{0}, {1}};

static int is(const char* word) {
  const char* mode = getenv("FAKE_NVML");
  return mode != NULL && strstr(mode, word) != NULL;
}
static int fails(const char* word) {
  return is("lost") ? 15 : is(word) ? 3 : 0;
}
static double step_seconds(void) {
  const char* mode = getenv("FAKE_NVML");
  const char* step = mode != NULL ? strstr(mode, "step=") : NULL;
  return step != NULL ? atof(step + 5) * 1e-3 : 0.05;
}
static double watts(const Device* device) {
  return device->index == 0 ? 100.0 : 50.0;
}

int nvmlInit_v2(void) {
  return is("no_driver") ? 9 : 0;
}
int nvmlShutdown(void) {
  return 0;
}
const char* nvmlErrorString(int code) {
  switch (code) {
    case 3:
      return "Not Supported";
    case 4:
      return "Insufficient Permissions";
    case 9:
      return "Driver Not Loaded";
    case 15:
      return "GPU is lost";
    default:
      return NULL;
  }
}
int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = is("none") ? 0 : 2;
  return 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  if (index > 1) return 2;
  *device = &devices[index];
  return 0;
}
int nvmlDeviceGetName(void* device, char* name, unsigned length) {
  (void)device;
  snprintf(name, length, "Fake GPU");
  return 0;
}
int nvmlDeviceGetUUID(void* device, char* uuid, unsigned length) {
  snprintf(uuid, length, "GPU-%d000-fake", ((Device*)device)->index + 1);
  return 0;
}
int nvmlSystemGetDriverVersion(char* version, unsigned length) {
  snprintf(version, length, "550.0");
  return 0;
}
int nvmlDeviceGetTotalEnergyConsumption(void* device, unsigned long long* millijoules) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  const double seconds = (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
  const double step = step_seconds();
  const double phase = ((Device*)device)->index * 0.37 * step;
  const double updated = floor((seconds - phase) / step) * step + phase;
  *millijoules = (unsigned long long)(watts(device) * updated * 1e3);
  return fails("no_energy");
}
int nvmlDeviceGetPowerUsage(void* device, unsigned* milliwatts) {
  *milliwatts = (unsigned)(watts(device) * 1e3);
  return fails("no_power");
}
int nvmlDeviceGetClockInfo(void* device, int type, unsigned* mhz) {
  (void)device;
  *mhz = type == 2 ? 2619 : 1980;
  return fails("no_clock");
}
int nvmlDeviceGetUtilizationRates(void* device, unsigned* percent) {
  (void)device;
  percent[0] = 87;
  percent[1] = 12;
  return fails("no_utilization");
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void* device, unsigned long long* bits) {
  (void)device;
  *bits = is("hot") ? 0x68 : 0x1;
  return is("no_permission") ? 4 : fails("no_throttle");
}
int nvmlDeviceGetTemperature(void* device, int sensor, unsigned* celsius) {
  (void)device;
  *celsius = sensor == 0 ? 61 : 0;
  return fails("no_temperature");
}
