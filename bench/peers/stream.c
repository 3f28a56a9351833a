/* STREAM's triad (McCalpin 1995) in plain C: stream ELEMENTS ROUNDS prints the best GB/s of the
 * rounds. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char** argv) {
  long n = argc > 1 ? atol(argv[1]) : 0, rounds = argc > 2 ? atol(argv[2]) : 10, i, k;
  double *a = malloc((size_t)n * sizeof *a), *b = malloc((size_t)n * sizeof *b),
         *c = malloc((size_t)n * sizeof *c);
  double best = 0;
  if (n < 1 || !a || !b || !c) return 2;
#pragma omp parallel for
  for (i = 0; i < n; ++i) {
    a[i] = 1;
    b[i] = 2;
    c[i] = 0.5;
  }
  for (k = 0; k < rounds; ++k) {
    double start = now(), rate;
#pragma omp parallel for
    for (i = 0; i < n; ++i) a[i] = b[i] + 3.0 * c[i];
    rate = 24.0 * (double)n / (now() - start) * 1e-9;
    if (rate > best) best = rate;
  }
  if (a[n / 2] != 3.5) return 1;
  printf("%.6f\n", best);
  return 0;
}
