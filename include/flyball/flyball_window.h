/* Energy of a piece of code, for C and for whatever calls C.
 *
 *   flyball_window* w = flyball_window_begin("epoch");
 *   ... work ...
 *   flyball_energy energy[FLYBALL_MAX_TOTALS];
 *   int n = flyball_window_end(w, energy, FLYBALL_MAX_TOTALS);
 *   if (n < 0) fprintf(stderr, "%s\n", flyball_last_error());
 */
#ifndef FLYBALL_WINDOW_H
#define FLYBALL_WINDOW_H

#ifdef __cplusplus
extern "C" {
#endif

#define FLYBALL_MAX_TOTALS 16

typedef struct flyball_window flyball_window;

/* Energy of one total ("module", "package", "gpu") or of one sensor that belongs to none. */
typedef struct {
  char name[32];
  double seconds;  /* length of the window */
  double energy_j; /* of the part that was measured */
  double mean_w;
  double
      gap_s; /* not measured, of `seconds`; 0 when all of it was. Samples are kept for two hours */
} flyball_energy;

/* Begins a window; windows nest. Never NULL but when memory is exhausted: what goes wrong is told
 * at the end. */
flyball_window* flyball_window_begin(const char* name);

/* Ends and frees the window, and writes at most `capacity` totals. Returns how many there are, or
 * -1: flyball_last_error() says why, and what to do. NULL is an error. */
int flyball_window_end(flyball_window* window, flyball_energy* energy, int capacity);

/* Forgets and frees the window. NULL is fine. */
void flyball_window_cancel(flyball_window* window);

/* Called at both ends of every window, so that queued work is inside; e.g. one that calls
 * cudaDeviceSynchronize. NULL for none. */
void flyball_window_set_synchronize(void (*synchronize)(void));

/* What the last call of this thread that failed complained about; "" for none. */
const char* flyball_last_error(void);

#ifdef __cplusplus
}
#endif
#endif
