/* Marks of a program that Flyball profiles or tunes: where its minibatches end, and which part of
 * them it waited for data or computed.
 *
 *   while (training) {
 *     flyball_stall_begin();   batch = next(loader);   flyball_stall_end();
 *     flyball_compute_begin(); train(model, batch);    flyball_compute_end();
 *     flyball_minibatch();
 *   }
 *
 * Only flyball_minibatch() is needed. Call them from one thread. Without `flyball profile` or
 * `flyball tune` around the program they do nothing and take some nanoseconds. */
#ifndef FLYBALL_MARKS_H
#define FLYBALL_MARKS_H

#ifdef __cplusplus
extern "C" {
#endif

/* 1 when somebody reads the marks (the environment names FLYBALL_MARKS), else 0. */
int flyball_marked(void);

/* What `flyball tune --axis NAME=…` wants in this trial: flyball_setting("batch_size", 16). Without
 * Flyball around the program, or where NAME was not opened, `otherwise`. Reading an axis this way
 * tells Flyball that the program heeds it; one that it never reads cannot be tuned. */
double flyball_setting(const char* name, double otherwise);

/* A figure of this trial, the last of each name counts: flyball_report("accuracy", 0.71). It is
 * kept with the trial, and `flyball tune --at-least accuracy=0.7` holds the answer to it; one that
 * is no finite number fails a trial that it was wanted of. */
void flyball_report(const char* name, double value);

/* A minibatch has ended. Work that was only queued (CUDA kernels) must be waited for before. */
void flyball_minibatch(void);

/* The program waits for data between these; several stretches of a minibatch add up. One that
 * begins while it computes is no computing, and the other way round: no moment counts as both. */
void flyball_stall_begin(void);
void flyball_stall_end(void);

/* It computes between these. The function of flyball_window_set_synchronize(), if any, is called
 * at the end. */
void flyball_compute_begin(void);
void flyball_compute_end(void);

#ifdef __cplusplus
}
#endif
#endif
