/* A stand-in for NVIDIA's management library, for tests. FAKE_NVML says how it behaves:
 * a list of words: "no_energy" and "no_power" (not supported), "no_driver" (does not start),
 * "no_permission" (throttle reasons), "lost" (every metric fails), "hot" (throttled), "none" (no
 * GPU), "step=MS" (how often the energy counters move; 50 ms otherwise). Two GPUs otherwise, the
 * first at a constant 100 W, the second at 50 W, whose counters move at different times. The
 * process of FAKE_NVML_PID (else the one that asks) holds 1 GiB of the first and is busy on 60 % of
 * it, and an unknown amount of the second ("no_processes": not supported).
 *
 * What is set: "set_denied" (not permitted), "set_ignored" (answers well and does nothing),
 * "rounds" (limits become multiples of 20 W), "lag=MS" (what was set is in force only then), "held"
 * (a limit of the machine, 220 W, lies in force below), "limit_missing", "lock_missing",
 * "memlock_missing" (not supported), "forgets" (a driver that unloads between two programs), "mig"
 * (cut into slices), "mixed" (two models). FAKE_NVML_STATE names a folder in which settings outlive
 * the process, and in which "calls" gets a line for every call that sets; without it nothing is
 * kept. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct {
  int index;
} Device;

static Device devices[2] = {{0}, {1}};

typedef struct {
  unsigned limit_mw, before_mw;       /* the one that was set, and what was in force before it */
  unsigned lock_mhz, memory_lock_mhz; /* 0: free */
  double set_s;                       /* when the limit was set */
} Settings;

enum { least_mw = 100000, most_mw = 400000, usual_mw = 350000, machine_mw = 220000 };
static const Settings as_delivered = {usual_mw, usual_mw, 0, 0, 0};
static Settings in_memory[2] = {{usual_mw, usual_mw, 0, 0, 0}, {usual_mw, usual_mw, 0, 0, 0}};

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

static double now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}
static FILE* state_file(const Device* device, const char* how) {
  const char* folder = getenv("FAKE_NVML_STATE");
  char path[512];
  if (folder == NULL) return NULL;
  snprintf(path, sizeof path, "%s/gpu%d", folder, device->index);
  return fopen(path, how);
}
static Settings settings_of(const Device* device) {
  Settings s = in_memory[device->index];
  FILE* file = state_file(device, "r");
  if (getenv("FAKE_NVML_STATE") != NULL) s = as_delivered;
  if (file == NULL) return s;
  if (fscanf(file, "%u %u %u %u %lf", &s.limit_mw, &s.before_mw, &s.lock_mhz, &s.memory_lock_mhz,
             &s.set_s) != 5)
    s = as_delivered;
  fclose(file);
  return s;
}
static void keep(const Device* device, Settings s) {
  FILE* file = state_file(device, "w");
  in_memory[device->index] = s;
  if (file == NULL) return;
  fprintf(file, "%u %u %u %u %.6f\n", s.limit_mw, s.before_mw, s.lock_mhz, s.memory_lock_mhz,
          s.set_s);
  fclose(file);
}
/* A line for each call that sets; 0 when it may. */
static int called(const Device* device, const char* what, unsigned low, unsigned high,
                  const char* missing) {
  const char* folder = getenv("FAKE_NVML_STATE");
  char path[512];
  FILE* file;
  if (folder != NULL) {
    snprintf(path, sizeof path, "%s/calls", folder);
    if ((file = fopen(path, "a")) != NULL) {
      fprintf(file, "gpu%d %s %u %u\n", device->index, what, low, high);
      fclose(file);
    }
  }
  return is("lost") ? 15 : is(missing) ? 3 : is("set_denied") ? 4 : 0;
}
static double lag_seconds(void) {
  const char* mode = getenv("FAKE_NVML");
  const char* lag = mode != NULL ? strstr(mode, "lag=") : NULL;
  return lag != NULL ? atof(lag + 4) * 1e-3 : 0;
}

int nvmlInit_v2(void) {
  if (is("forgets")) {
    keep(&devices[0], as_delivered);
    keep(&devices[1], as_delivered);
  }
  return is("no_driver") ? 9 : 0;
}
int nvmlShutdown(void) {
  return 0;
}
const char* nvmlErrorString(int code) {
  switch (code) {
    case 2:
      return "Invalid Argument";
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
  const int other = is("mixed") && ((Device*)device)->index == 1;
  snprintf(name, length, other ? "Other Fake GPU" : "Fake GPU");
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
  const double seconds = now_s();
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
  const Settings s = settings_of(device);
  const unsigned lock = type == 2 ? s.memory_lock_mhz : s.lock_mhz;
  *mhz = type == 2 ? 2619 : 1980;
  if (lock != 0 && now_s() >= s.set_s + lag_seconds()) *mhz = lock;
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
static unsigned busy_process(void) {
  const char* pid = getenv("FAKE_NVML_PID");
  return pid != NULL ? (unsigned)atoi(pid) : (unsigned)getpid();
}
typedef struct {
  unsigned pid;
  unsigned long long bytes;
  unsigned instance, compute_instance;
} Process;
typedef struct {
  unsigned pid;
  unsigned long long time_us;
  unsigned gpu, memory, encoder, decoder;
} Use;
int nvmlDeviceGetComputeRunningProcesses_v2(void* device, unsigned* count, Process* list) {
  if (fails("no_processes") != 0) return fails("no_processes");
  if (*count < 1) return 7;
  list[0] = (Process){busy_process(), ((Device*)device)->index == 0 ? 1ULL << 30 : ~0ULL, 0, 0};
  *count = 1;
  return 0;
}
int nvmlDeviceGetProcessUtilization(void* device, Use* list, unsigned* count,
                                    unsigned long long since_us) {
  const unsigned long long now_us = (unsigned long long)time(NULL) * 1000000ULL;
  if (fails("no_processes") != 0) return fails("no_processes");
  if (((Device*)device)->index != 0 || since_us > now_us) return 6; /* not found */
  if (*count < 2) return 7;
  list[0] = (Use){busy_process(), now_us, 60, 10, 0, 0};
  list[1] = (Use){busy_process(), since_us, 99, 10, 0, 0}; /* an older one */
  *count = 2;
  return 0;
}
int nvmlDeviceGetMigMode(void* device, unsigned* now, unsigned* after_reset) {
  (void)device;
  *now = *after_reset = is("mig") ? 1 : 0;
  return 0;
}
int nvmlDeviceGetPowerManagementLimitConstraints(void* device, unsigned* least, unsigned* most) {
  (void)device;
  *least = least_mw;
  *most = most_mw;
  return fails("limit_missing");
}
int nvmlDeviceGetPowerManagementDefaultLimit(void* device, unsigned* limit) {
  (void)device;
  *limit = usual_mw;
  return fails("limit_missing");
}
int nvmlDeviceGetPowerManagementLimit(void* device, unsigned* limit) {
  *limit = settings_of(device).limit_mw;
  return fails("limit_missing");
}
int nvmlDeviceGetEnforcedPowerLimit(void* device, unsigned* limit) {
  const Settings s = settings_of(device);
  *limit = now_s() >= s.set_s + lag_seconds() ? s.limit_mw : s.before_mw;
  if (is("held") && *limit > machine_mw) *limit = machine_mw;
  return fails("limit_missing");
}
int nvmlDeviceSetPowerManagementLimit(void* device, unsigned limit) {
  Settings s = settings_of(device);
  const int refused = called(device, "power_limit", limit, limit, "limit_missing");
  if (refused != 0) return refused;
  if (limit < least_mw || limit > most_mw) return 2;
  if (is("set_ignored")) return 0;
  s.before_mw = s.limit_mw;
  s.limit_mw = is("rounds") ? (limit + 10000) / 20000 * 20000 : limit;
  s.set_s = now_s();
  keep(device, s);
  return 0;
}
int nvmlDeviceGetSupportedMemoryClocks(void* device, unsigned* count, unsigned* mhz) {
  static const unsigned clocks[] = {2619, 1593, 405};
  (void)device;
  memcpy(mhz, clocks, sizeof clocks);
  *count = 3;
  return fails("lock_missing");
}
int nvmlDeviceGetSupportedGraphicsClocks(void* device, unsigned memory, unsigned* count,
                                         unsigned* mhz) {
  static const unsigned clocks[] = {1980, 1500, 1200, 900, 345};
  (void)device;
  *count = memory == 405 ? 1 : 5;
  memcpy(mhz, memory == 405 ? clocks + 4 : clocks, *count * sizeof *clocks);
  return fails("lock_missing");
}
static int lock_clock(void* device, const char* what, unsigned low, unsigned high, int memory) {
  Settings s = settings_of(device);
  const int refused = called(device, what, low, high, memory ? "memlock_missing" : "lock_missing");
  if (refused != 0) return refused;
  if (is("set_ignored")) return 0;
  *(memory ? &s.memory_lock_mhz : &s.lock_mhz) = high;
  s.set_s = now_s();
  keep(device, s);
  return 0;
}
int nvmlDeviceSetGpuLockedClocks(void* device, unsigned low, unsigned high) {
  return lock_clock(device, "lock_gpu", low, high, 0);
}
int nvmlDeviceResetGpuLockedClocks(void* device) {
  return lock_clock(device, "unlock_gpu", 0, 0, 0);
}
int nvmlDeviceSetMemoryLockedClocks(void* device, unsigned low, unsigned high) {
  return lock_clock(device, "lock_memory", low, high, 1);
}
int nvmlDeviceResetMemoryLockedClocks(void* device) {
  return lock_clock(device, "unlock_memory", 0, 0, 1);
}
