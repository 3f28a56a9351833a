/* A program that marks its minibatches, as the tests of `flyball profile -- …` want it:
 * marked_c MINIBATCHES [END]. END: "fail" (exit code 3), "hang" (sleeps on), "silent" (no marks).
 * "deaf" (reads no setting). A minibatch stalls 2 ms and computes 3 ms for each of its samples
 * (setting batch_size, default 1). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "flyball_marks.h"
#include "flyball_window.h"

static void sleep_ms(long ms) {
  struct timespec time = {ms / 1000, (ms % 1000) * 1000000};
  nanosleep(&time, NULL);
}

int main(int argc, char** argv) {
  const int minibatches = argc > 1 ? atoi(argv[1]) : 20;
  const char* end = argc > 2 ? argv[2] : "";
  const long factor = strcmp(end, "deaf") == 0 ? 1 : (long)flyball_setting("batch_size", 1);
  flyball_window* window = flyball_window_begin("epoch");
  int i;
  for (i = 0; i < minibatches; ++i) {
    const int silent = strcmp(end, "silent") == 0;
    if (!silent) flyball_stall_begin();
    sleep_ms(2);
    if (!silent) flyball_stall_end();
    if (!silent) flyball_compute_begin();
    sleep_ms(3 * factor);
    if (!silent) flyball_compute_end();
    if (!silent) flyball_minibatch();
  }
  flyball_energy energy[FLYBALL_MAX_TOTALS];
  if (flyball_window_end(window, energy, FLYBALL_MAX_TOTALS) < 0)
    fprintf(stderr, "%s\n", flyball_last_error());
  printf("marked: %d\n", flyball_marked());
  fflush(stdout);
  if (strcmp(end, "hang") == 0) sleep_ms(600000);
  if (strcmp(end, "fail") == 0) {
    fprintf(stderr, "the disk is full of sand\n");
    return 3;
  }
  return 0;
}
