/* A program whose steps need a device: turned_c SECONDS STEP_MS [EVERY_MS]. A step is so much
 * processor time, in a turn where a broker grants them. Without EVERY_MS it trains, one step after
 * the other; with it, it serves a request that is due every so often. It prints "steps P50 P99",
 * the latter of the time from when a step was due (a training: was begun) to its end, in ms. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "flyball_turn.h"

#define MOST_STEPS 100000

static double times_ms[MOST_STEPS];

static double clock_ms(clockid_t which) {
  struct timespec now;
  clock_gettime(which, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static void compute(double step_ms) {
  const double end_ms = clock_ms(CLOCK_THREAD_CPUTIME_ID) + step_ms;
  volatile double sum = 0;
  int i;
  while (clock_ms(CLOCK_THREAD_CPUTIME_ID) < end_ms)
    for (i = 0; i < 1000; ++i) sum += i;
}

static void sleep_until(double at_ms) {
  struct timespec at;
  at.tv_sec = (time_t)(at_ms / 1e3);
  at.tv_nsec = (long)((at_ms - (double)at.tv_sec * 1e3) * 1e6);
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) != 0) continue;
}

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? atof(argv[1]) : 1, step_ms = argc > 2 ? atof(argv[2]) : 10;
  const double every_ms = argc > 3 ? atof(argv[3]) : 0;
  const double begin_ms = clock_ms(CLOCK_MONOTONIC);
  double due_ms = begin_ms;
  flyball_turns turns = flyball_turns_init();
  size_t steps = 0;
  while (steps < MOST_STEPS) {
    double now_ms = clock_ms(CLOCK_MONOTONIC);
    if (every_ms <= 0) due_ms = now_ms;
    if (every_ms > 0) due_ms += every_ms;
    if (due_ms - begin_ms > seconds * 1e3) break;
    if (due_ms > now_ms) sleep_until(due_ms);
    if (flyball_turn_begin(&turns) < 0) {
      const int why = errno;
      const char* refusal = flyball_turns_refusal(&turns);
      fprintf(stderr, "turned_c: %s\n", *refusal ? refusal : strerror(why));
      return 2;
    }
    compute(step_ms);
    flyball_turn_end(&turns);
    times_ms[steps++] = clock_ms(CLOCK_MONOTONIC) - due_ms;
  }
  flyball_turns_close(&turns);
  if (steps == 0) return 1;
  qsort(times_ms, steps, sizeof times_ms[0], ascending);
  printf("%lu %.3f %.3f\n", (unsigned long)steps, times_ms[steps / 2],
         times_ms[(size_t)((double)(steps - 1) * 0.99)]);
  return 0;
}
