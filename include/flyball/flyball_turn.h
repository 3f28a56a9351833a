/* Turns on an accelerator that several processes share: `flyball broker` grants them, minibatch by
 * minibatch. This header is all there is to it (C99 and POSIX; nothing is linked).
 *
 *   flyball_turns turns = flyball_turns_init();      // name, role: FLYBALL_TURN_NAME, …
 *   while (training) {
 *     batch = next(loader);
 *     flyball_turn_begin(&turns);                    // waits for the turn
 *     train(model, batch);
 *     cudaStreamSynchronize(stream);                 // what was only queued belongs to the turn
 *     flyball_turn_end(&turns);
 *   }
 *   flyball_turns_close(&turns);
 *
 * Without FLYBALL_BROKER in the environment both calls return at once. One flyball_turns belongs to
 * one thread; a process that was forked closes what it inherits and asks for turns of its own. */
#ifndef FLYBALL_TURN_H
#define FLYBALL_TURN_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Set these before the first turn, or leave them as flyball_turns_init() made them. */
typedef struct flyball_turns {
  const char*
      socket;       /* of the broker: FLYBALL_BROKER; null or "": none, and every call is a no-op */
  const char* name; /* FLYBALL_TURN_NAME, else the program's; letters, digits and ._- */
  double latency_s; /* FLYBALL_TURN_LATENCY ("100ms"); not 0: a service, from asking to its turn's
                       end */
  double share;     /* FLYBALL_TURN_SHARE, of trainings; 1 */
  /* Of this header alone: */
  int fd;       /* -1: not connected */
  long pid;     /* that connected */
  int has_turn; /* granted, and not ended */
  time_t next;  /* when it may be connected to again */
  char refusal[257];
} flyball_turns;

/* A training or a service as the environment says; nothing is opened yet. A latency has
 * the unit ms ("100ms") or s; any other text, and a share that is no number, the broker refuses. */
static inline flyball_turns flyball_turns_init(void);
/* Waits for the turn. 1: granted. 0: no broker is named. -1 and errno: it does not answer, or has
 * refused this process (flyball_turns_refusal() says why); the step may run as it would without
 * one. Refused: EEXIST, another client has the name in another role; EINVAL, the name, latency or
 * share cannot be; EUSERS, there are too many clients; EPROTONOSUPPORT, it speaks another version
 * of the protocol; EPROTO, anything else. A broker that has gone (ECONNREFUSED, ECONNRESET,
 * ENOENT) is tried again once a second, one that does not welcome within 10 s (EAGAIN), for which
 * a step waits each time, once a minute. */
static inline int flyball_turn_begin(flyball_turns* turns);
/* The turn ends. Wait for the device before. */
static inline void flyball_turn_end(flyball_turns* turns);
/* The same, and tells for how many nanoseconds of it the device was waited for. */
static inline void flyball_turn_end_waited(flyball_turns* turns, long long waited_ns);
static inline void flyball_turns_close(flyball_turns* turns);
/* Why the broker has refused this process the last time that it was asked; "": it has not. */
static inline const char* flyball_turns_refusal(const flyball_turns* turns);

/* A decimal number, whatever the program's locale: strtod() and printf() may want a comma. -1: none
 * begins there. */
static inline double flyball_turn_number_(const char* text, const char** end) {
  double value = 0, unit = 1;
  int digits = 0;
  for (; *text >= '0' && *text <= '9'; ++text, ++digits) value = 10 * value + (*text - '0');
  if (*text == '.')
    for (++text; *text >= '0' && *text <= '9'; ++text, ++digits)
      value += (*text - '0') * (unit /= 10);
  *end = text;
  return digits > 0 ? value : -1;
}

static inline double flyball_turn_seconds_(const char* text) {
  const char* end = text;
  double value = 0;
  if (!text || !*text) return 0;
  value = flyball_turn_number_(text, &end);
  if (strcmp(end, "ms") == 0)
    value *= 1e-3;
  else if (strcmp(end, "s") != 0)
    return -1;                   /* a bare number has no unit to be guessed */
  return value > 0 ? value : -1; /* 0 is no latency, and would be a training */
}

static inline double flyball_turn_share_(const char* text) {
  const char* end = text;
  double value = 1;
  if (!text || !*text) return 1;
  value = flyball_turn_number_(text, &end);
  return *end ? -1 : value;
}

/* As the broker reads it; "-1" of what it refuses. */
static inline void flyball_turn_print_(double value, char text[32]) {
  const int fits = value > 0 && value < 1e9;
  const long long nanos = fits ? (long long)(value * 1e9 + 0.5) : 0;
  if (fits)
    (void)snprintf(text, 32, "%lld.%09lld", nanos / 1000000000, nanos % 1000000000);
  else
    strcpy(text, "-1");
}

static inline flyball_turns flyball_turns_init(void) {
  flyball_turns turns;
  memset(&turns, 0, sizeof turns);
  turns.socket = getenv("FLYBALL_BROKER");
  turns.name = getenv("FLYBALL_TURN_NAME");
  turns.latency_s = flyball_turn_seconds_(getenv("FLYBALL_TURN_LATENCY"));
  turns.share = flyball_turn_share_(getenv("FLYBALL_TURN_SHARE"));
  turns.fd = -1;
  return turns;
}

static inline void flyball_turns_close(flyball_turns* turns) {
  if (turns->fd >= 0) (void)close(turns->fd);
  turns->fd = -1;
  turns->has_turn = 0;
}

/* The program's name, of which what a name may not hold becomes "-". */
static inline void flyball_turn_name_(const flyball_turns* turns, char name[65]) {
  size_t length = 0;
  name[0] = '\0';
  if (turns->name && *turns->name) {
    strncpy(name, turns->name, 64);
  } else {
    FILE* file = fopen("/proc/self/comm", "r");
    if (file) {
      if (!fgets(name, 64, file)) name[0] = '\0';
      (void)fclose(file);
    }
    name[strcspn(name, "\n")] = '\0';
    if (!name[0]) strcpy(name, "program");
  }
  name[64] = '\0';
  for (length = 0; name[length]; ++length)
    if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-", name[length]))
      name[length] = '-';
}

static inline const char* flyball_turns_refusal(const flyball_turns* turns) {
  return turns->refusal;
}

/* "refused WORD why": keeps why, and makes an errno of the word. */
static inline int flyball_turn_refused_(flyball_turns* turns, const char* answer) {
  static const struct {
    const char* word;
    int number;
  } refusals[] = {
      {"name ", EEXIST}, {"role ", EINVAL}, {"many ", EUSERS}, {"version ", EPROTONOSUPPORT}};
  const char* why = NULL;
  size_t i;
  if (strncmp(answer, "refused ", 8) != 0) return EPROTO;
  why = strchr(answer + 8, ' ');
  strcpy(turns->refusal, why ? why + 1 : answer + 8);
  for (i = 0; i < sizeof refusals / sizeof refusals[0]; ++i)
    if (strncmp(answer + 8, refusals[i].word, strlen(refusals[i].word)) == 0)
      return refusals[i].number;
  return EPROTO;
}

/* What the broker says next; -1 and errno where it says nothing any more. */
static inline int flyball_turn_hear_(flyball_turns* turns, const char* expected) {
  char answer[257];
  ssize_t size;
  int resets = 0; /* one comes before the last words of a broker that has not read ours */
  turns->refusal[0] = '\0';
  do size = recv(turns->fd, answer, sizeof answer - 1, 0);
  while (size < 0 && (errno == EINTR || (errno == ECONNRESET && resets++ == 0)));
  if (size > 0) {
    answer[size] = '\0';
    if (strcmp(answer, expected) == 0) return 0;
    errno = flyball_turn_refused_(turns, answer);
  } else if (size == 0) {
    errno = ECONNRESET;
  }
  return -1;
}

static inline int flyball_turn_say_(flyball_turns* turns, const char* text) {
  return send(turns->fd, text, strlen(text), MSG_NOSIGNAL) < 0 ? -1 : 0;
}

static inline int flyball_turn_greet_(flyball_turns* turns) {
  char name[65], value[32], hello[160];
  flyball_turn_name_(turns, name);
  flyball_turn_print_(turns->latency_s != 0 ? turns->latency_s : turns->share, value);
  (void)snprintf(hello, sizeof hello, "flyball-turn 1 %s %s %s",
                 turns->latency_s != 0 ? "service" : "training", value, name);
  if (flyball_turn_say_(turns, hello) != 0) { /* it may have been refused before it could greet */
    const int why = errno;
    (void)flyball_turn_hear_(turns, "welcome");
    if (!turns->refusal[0]) errno = why;
    return -1;
  }
  return flyball_turn_hear_(turns, "welcome");
}

/* How long connecting and the welcome may take; 0: for ever. */
static inline void flyball_turn_patience_(const flyball_turns* turns, time_t seconds) {
  struct timeval patience;
  memset(&patience, 0, sizeof patience);
  patience.tv_sec = seconds;
  (void)setsockopt(turns->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  (void)setsockopt(turns->fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
}

static inline int flyball_turn_connect_(flyball_turns* turns) {
  struct sockaddr_un address;
  const time_t now = time(NULL);
  if (turns->next > now && turns->next <= now + 60) { /* unless the clock was set back */
    errno = ECONNREFUSED;
    return -1;
  }
  turns->next = now + 1;
  memset(&address, 0, sizeof address);
  address.sun_family = AF_UNIX;
  if (strlen(turns->socket) >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  strcpy(address.sun_path, turns->socket);
  turns->fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (turns->fd < 0) return -1;
  turns->pid = (long)getpid();
  flyball_turn_patience_(turns, 10);
  if (connect(turns->fd, (const struct sockaddr*)&address, sizeof address) == 0 &&
      flyball_turn_greet_(turns) == 0) {
    flyball_turn_patience_(turns, 0);
    turns->next = 0;
    return 0;
  }
  {
    const int why = errno;
    /* Each time that one that does not answer is asked, a step waits for it. */
    turns->next = time(NULL) + (why == EAGAIN ? 60 : 1);
    flyball_turns_close(turns);
    errno = why;
  }
  return -1;
}

static inline int flyball_turn_begin(flyball_turns* turns) {
  if (!turns->socket || !*turns->socket) return 0;
  if (turns->fd >= 0 && turns->pid != (long)getpid()) flyball_turns_close(turns); /* forked */
  if (turns->has_turn) return 1;
  if (turns->fd < 0 && flyball_turn_connect_(turns) != 0) return -1;
  if (flyball_turn_say_(turns, "ask") != 0 || flyball_turn_hear_(turns, "granted") != 0) {
    const int why = errno;
    flyball_turns_close(turns);
    errno = why;
    return -1;
  }
  turns->has_turn = 1;
  return 1;
}

static inline void flyball_turn_end_waited(flyball_turns* turns, long long waited_ns) {
  char done[48];
  if (!turns->has_turn) return;
  if (turns->pid != (long)getpid()) { /* forked within the turn, which is the parent's */
    flyball_turns_close(turns);
    return;
  }
  turns->has_turn = 0;
  if (waited_ns > 0)
    (void)snprintf(done, sizeof done, "done %lld", waited_ns);
  else
    strcpy(done, "done");
  if (flyball_turn_say_(turns, done) != 0) flyball_turns_close(turns);
}

static inline void flyball_turn_end(flyball_turns* turns) {
  flyball_turn_end_waited(turns, 0);
}

#ifdef __cplusplus
}
#endif
#endif
