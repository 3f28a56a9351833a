/* flyball-nvml: calls NVIDIA's management library for a static Flyball, which cannot load it.
 *
 * usage: flyball-nvml [LIBRARY]        (libnvidia-ml.so.1 otherwise)
 *
 * Requests are lines on stdin, each answered by one line on stdout; it ends with its stdin. The
 * first line comes unasked: "ready ENTRY…" (nvml_entries.h: those that the library has), or why
 * there are none: "no_library", "not_nvml", "failed CODE TEXT".
 *
 *   count                      "0 2": NVML's return code, then the number of GPUs
 *   handle GPU                 "0": is there a GPU of this index?
 *   driver_version             "0 550.54"
 *   error CODE                 "0 Not Supported"
 *   ENTRY GPU [NUMBER…]        "0 VALUE…", e.g. "power 0", "clock 1 2", "lock_gpu 0 300 1200"
 *   compute_processes GPU      "0 PID BYTES PID BYTES …"; graphics_processes likewise
 *   process_use GPU SECONDS    "0 PID MICROSECONDS PERCENT …": since this time, from 1970 on
 *   anything else              "2": bad argument
 *
 * It must run where the C library is older than the one it was built with, down to 2.17: it calls
 * few functions, names the old versions of those that moved, and starts by itself, as crt1.o of a
 * newer C library asks for a newer one (tests/nvml_program_test.py reads which versions it needs).
 */
#include <dlfcn.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "telemetry/sensors/nvml_entries.h"

#if defined(__x86_64__)
#define OLDEST "GLIBC_2.2.5"
#elif defined(__aarch64__)
#define OLDEST "GLIBC_2.17"
#else
#error "flyball-nvml is written for x86-64 and aarch64"
#endif

__asm__(".symver dlopen, dlopen@" OLDEST);
__asm__(".symver dlsym, dlsym@" OLDEST);
__asm__(".symver old_start_main, __libc_start_main@" OLDEST);
int old_start_main(int (*run)(int, char**, char**), int argc, char** argv, void (*init)(void),
                   void (*fini)(void), void (*end_loader)(void), void* stack_end);

enum {
  success = 0,
  bad_argument = 2,
  not_supported = 3,
  most_gpus = 256,
  most_clocks = 2048,
  most_processes = 512,
  longest_request = 256,
  longest_text = 128,
  most_numbers = 3
};

typedef void (*Function)(void);
enum Form {
  text,
  number,
  number_of,
  counter,
  three_counters,
  two,
  two_in_one,
  list,
  list_of,
  processes,
  uses,
  set_none,
  set_one,
  set_two
};
struct Entry {
  const char *name, *symbol, *older;
  enum Form form;
  Function function;
};
#define AS_ENTRY(name, symbol, older, form) {#name, symbol, older, form, NULL},
static struct Entry entries[] = {FLYBALL_NVML_ENTRIES(AS_ENTRY)};
enum { entry_count = sizeof entries / sizeof *entries };

static int (*device_count)(unsigned*);
static int (*device_of)(unsigned, void**);
static const char* (*error_text)(int);
static int (*driver_version)(char*, unsigned);
static void* devices[most_gpus]; /* NULL: not asked for yet */

/* As the library fills them (nvml_api.h says what they mean). */
struct Process {
  unsigned pid;
  unsigned long long bytes;
  unsigned instance, compute_instance;
};
struct Use {
  unsigned pid;
  unsigned long long time_us;
  unsigned gpu, memory, encoder, decoder;
};

/* An answer is put together here: the longest lists most_clocks clocks. */
static char answer[16 * most_clocks];
static size_t length;

static void put(const char* word) {
  for (; *word != '\0' && length + 1 < sizeof answer; ++word) /* one line, whatever a name holds */
    answer[length++] = *word == '\n' || *word == '\r' ? ' ' : *word;
}

static void put_number(unsigned long long value) {
  char digits[24];
  size_t at = sizeof digits - 1;
  digits[at] = '\0';
  do {
    digits[--at] = (char)('0' + value % 10);
    value /= 10;
  } while (value != 0);
  put(digits + at);
}

static void put_value(unsigned long long value) {
  put(" ");
  put_number(value);
}

static int send_answer(void) {
  size_t sent = 0;
  answer[length++] = '\n';
  while (sent < length) {
    const ssize_t size = write(STDOUT_FILENO, answer + sent, length - sent);
    if (size <= 0) return 0;
    sent += (size_t)size;
  }
  length = 0;
  return 1;
}

static int same(const char* a, const char* b) {
  while (*a != '\0' && *a == *b) ++a, ++b;
  return *a == *b;
}

static Function find(void* library, const char* symbol, const char* older) {
  void* found = dlsym(library, symbol);
  if (found == NULL && older != NULL) found = dlsym(library, older);
  return (Function)(size_t)found;
}

static int open_library(const char* path) {
  void* const library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  int (*init)(void);
  int code;
  if (library == NULL) return put("no_library"), 0;
  init = (int (*)(void))find(library, "nvmlInit_v2", "nvmlInit");
  device_count = (int (*)(unsigned*))find(library, "nvmlDeviceGetCount_v2", "nvmlDeviceGetCount");
  device_of = (int (*)(unsigned, void**))find(library, "nvmlDeviceGetHandleByIndex_v2",
                                              "nvmlDeviceGetHandleByIndex");
  error_text = (const char* (*)(int))find(library, "nvmlErrorString", NULL);
  driver_version = (int (*)(char*, unsigned))find(library, "nvmlSystemGetDriverVersion", NULL);
  if (init == NULL || device_count == NULL || device_of == NULL || error_text == NULL)
    return put("not_nvml"), 0;
  code = init();
  if (code != success) {
    const char* const why = error_text(code);
    put("failed ");
    put_number((unsigned long long)code);
    put(" ");
    put(why != NULL ? why : "");
    return 0;
  }
  put("ready");
  for (size_t i = 0; i < entry_count; ++i) {
    entries[i].function = find(library, entries[i].symbol, entries[i].older);
    if (entries[i].function == NULL) continue;
    put(" ");
    put(entries[i].name);
  }
  return 1;
}

/* The numbers of a request, each behind one blank; -1 where there is anything else. */
static int read_numbers(const char* at, unsigned* values) {
  int count = 0;
  while (*at == ' ') {
    unsigned long long value = 0;
    if (*++at < '0' || *at > '9' || count == most_numbers) return -1;
    for (; *at >= '0' && *at <= '9'; ++at) {
      value = value * 10 + (unsigned)(*at - '0');
      if (value > 0xffffffffU) return -1;
    }
    values[count++] = (unsigned)value;
  }
  return *at == '\0' ? count : -1;
}

static int numbers_beside_gpu(enum Form form) {
  switch (form) {
    case number_of:
    case list_of:
    case uses:
    case set_one:
      return 1;
    case set_two:
      return 2;
    default:
      return 0;
  }
}

static int handle(unsigned gpu, void** device) {
  int code = success;
  if (gpu >= most_gpus) return bad_argument;
  if (devices[gpu] == NULL) code = device_of(gpu, &devices[gpu]);
  if (code != success) devices[gpu] = NULL;
  *device = devices[gpu];
  return code;
}

static void put_code(int code) {
  put_number((unsigned long long)(code < 0 ? 999 : code)); /* 999: NVML's unknown error */
}

static void put_values(int code, const unsigned long long* values, unsigned count) {
  put_code(code);
  for (unsigned i = 0; code == success && i < count; ++i) put_value(values[i]);
}

static void put_list(int code, const unsigned* values, unsigned count) {
  put_code(code);
  for (unsigned i = 0; code == success && i < count && i < most_clocks; ++i) put_value(values[i]);
}

static void put_text(int code, char* value, size_t size) {
  put_code(code);
  if (code != success) return;
  value[size - 1] = '\0';
  put(" ");
  put(value);
}

static void put_processes(int code, const struct Process* all, unsigned count) {
  const unsigned long long most = 0x7fffffffffffffffULL; /* "not known" is beyond it */
  put_code(code);
  for (unsigned i = 0; code == success && i < count && i < most_processes; ++i) {
    put_value(all[i].pid);
    put_value(all[i].bytes < most ? all[i].bytes : most);
  }
}

static void put_uses(int code, const struct Use* all, unsigned count) {
  put_code(code);
  for (unsigned i = 0; code == success && i < count && i < most_processes; ++i) {
    put_value(all[i].pid);
    put_value(all[i].time_us);
    put_value(all[i].gpu);
  }
}

#define CALL(types, ...) ((int(*) types)entry->function)(__VA_ARGS__)

static void call(const struct Entry* entry, void* device, const unsigned* argument) {
  static unsigned clocks[most_clocks];
  static struct Process held[most_processes];
  static struct Use used[most_processes];
  unsigned pair[2] = {0, 0}, count = most_clocks;
  unsigned long long wide[3] = {0, 0, 0};
  char word[longest_text] = {0};
  int code;
  switch (entry->form) {
    case text:
      code = CALL((void*, char*, unsigned), device, word, sizeof word);
      put_text(code, word, sizeof word);
      return;
    case number:
      put_list(CALL((void*, unsigned*), device, pair), pair, 1);
      return;
    case number_of:
      put_list(CALL((void*, int, unsigned*), device, (int)argument[0], pair), pair, 1);
      return;
    case counter:
      put_values(CALL((void*, unsigned long long*), device, wide), wide, 1);
      return;
    case three_counters:
      put_values(CALL((void*, unsigned long long*), device, wide), wide, 3);
      return;
    case two:
      put_list(CALL((void*, unsigned*, unsigned*), device, pair, pair + 1), pair, 2);
      return;
    case two_in_one:
      put_list(CALL((void*, unsigned*), device, pair), pair, 2);
      return;
    case list:
      code = CALL((void*, unsigned*, unsigned*), device, &count, clocks);
      put_list(code, clocks, count);
      return;
    case list_of:
      code = CALL((void*, unsigned, unsigned*, unsigned*), device, argument[0], &count, clocks);
      put_list(code, clocks, count);
      return;
    case processes:
      count = most_processes;
      code = CALL((void*, unsigned*, struct Process*), device, &count, held);
      put_processes(code, held, count);
      return;
    case uses:
      count = most_processes;
      code = CALL((void*, struct Use*, unsigned*, unsigned long long), device, used, &count,
                  argument[0] * 1000000ULL);
      put_uses(code, used, count);
      return;
    case set_none:
      put_code(CALL((void*), device));
      return;
    case set_one:
      put_code(CALL((void*, unsigned), device, argument[0]));
      return;
    case set_two:
      put_code(CALL((void*, unsigned, unsigned), device, argument[0], argument[1]));
      return;
  }
}

static void answer_entry(const char* name, const unsigned* numbers, int count) {
  for (size_t i = 0; i < entry_count; ++i) {
    void* device = NULL;
    int code;
    if (!same(entries[i].name, name)) continue;
    if (count != 1 + numbers_beside_gpu(entries[i].form)) break;
    code = entries[i].function == NULL ? not_supported : handle(numbers[0], &device);
    if (code != success)
      put_code(code);
    else
      call(&entries[i], device, numbers + 1);
    return;
  }
  put_code(bad_argument);
}

static void answer_request(char* request) {
  unsigned numbers[most_numbers];
  char* end = request;
  int count;
  while (*end != ' ' && *end != '\0') ++end;
  count = read_numbers(end, numbers);
  *end = '\0';
  if (count == 0 && same(request, "count")) {
    unsigned gpus = 0;
    const int code = device_count(&gpus);
    put_list(code, &gpus, 1);
  } else if (count == 0 && same(request, "driver_version")) {
    char word[longest_text] = {0};
    const int code = driver_version == NULL ? not_supported : driver_version(word, sizeof word);
    put_text(code, word, sizeof word);
  } else if (count == 1 && same(request, "error")) {
    const char* const why = error_text((int)numbers[0]);
    put(why != NULL ? "0 " : "3");
    put(why != NULL ? why : "");
  } else if (count == 1 && same(request, "handle")) {
    void* device;
    put_code(handle(numbers[0], &device));
  } else {
    answer_entry(request, numbers, count);
  }
}

/* The next line without its end; 0 where there are no more, or it is too long. */
static int read_request(char* line) {
  static char buffer[longest_request];
  static size_t begin, end;
  size_t size = 0;
  while (size < longest_request) {
    if (begin == end) {
      const ssize_t got = read(STDIN_FILENO, buffer, sizeof buffer);
      if (got <= 0) return 0;
      begin = 0;
      end = (size_t)got;
    }
    if (buffer[begin] == '\n') {
      ++begin;
      line[size] = '\0';
      return 1;
    }
    line[size++] = buffer[begin++];
  }
  return 0;
}

static int run(int argc, char** argv, char** environment) {
  char request[longest_request + 1];
  int opened;
  (void)environment;
  /* Ctrl-C goes to all of the terminal's programs: Flyball still has to put settings back. */
  signal(SIGINT, SIG_IGN);
  signal(SIGTERM, SIG_IGN);
  signal(SIGHUP, SIG_IGN);
  opened = open_library(argc > 1 ? argv[1] : "libnvidia-ml.so.1");
  if (!send_answer() || !opened) return 1;
  while (read_request(request)) {
    answer_request(request);
    if (!send_answer()) return 1;
  }
  return 0;
}

__attribute__((used, visibility("hidden"))) void flyball_nvml_start(long* stack,
                                                                    void (*end_loader)(void)) {
  old_start_main(run, (int)stack[0], (char**)(stack + 1), NULL, NULL, end_loader, stack);
}

#if defined(__x86_64__)
__asm__(
    ".text\n.globl _start\n.type _start, @function\n"
    "_start:\n"
    "  xor %ebp, %ebp\n"
    "  mov %rsp, %rdi\n"
    "  mov %rdx, %rsi\n"
    "  and $-16, %rsp\n"
    "  call flyball_nvml_start\n"
    "  hlt\n");
#else
__asm__(
    ".text\n.globl _start\n.type _start, %function\n"
    "_start:\n"
    "  mov x29, #0\n"
    "  mov x30, #0\n"
    "  mov x1, x0\n"
    "  mov x0, sp\n"
    "  bl flyball_nvml_start\n"
    "  brk #0\n");
#endif
