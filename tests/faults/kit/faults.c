/*
 * LD_PRELOAD library that makes a real process meet a bad disk. It stands before the file system calls of libc, sees
 * those on paths below FAULT_ROOT, and by rules counts, fails, delays, shortens or kills at the n-th of them.
 *
 *   FAULT_ROOT     folders (separated by ':') whose calls are seen; none: only SLOWSYNC_US works
 *   FAULT_CONTROL  file of at least 4096 bytes that is mapped: rules can be changed while the process runs. Its first
 *                  byte is a version; rules are read anew when it changes.
 *   FAULT_LOG      one line for each call seen: "<op> <path>"
 *   FAULT_RECORD   every change with its bytes, and what was sent to sockets, in the order in which it happened
 *   SLOWSYNC_US    microseconds that every fsync and fdatasync takes longer
 *
 * A rule is a line "<ops> <glob> <action> <argument> <first> <last>": ops separated by commas or '*'; actions fail and
 * lie (argument: errno; lie does the call and then reports it failed), delay (microseconds), short (bytes that a write
 * takes), skip (reports success and does nothing), kill and killafter. It acts on its first-th to last-th match, last 0
 * meaning for ever. "clock * add <milliseconds> 1 0" moves the wall clock.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum op { OPEN, WRITE, SYNC, TRUNCATE, RENAME, UNLINK, LINK, MKDIR, OPS };
static const char *const OP_NAMES[OPS] = {"open", "write", "sync", "truncate", "rename", "unlink", "link", "mkdir"};
enum action { FAIL, LIE, DELAY, SHORT, SKIP, KILL, KILLAFTER, ACTIONS };
static const char *const ACTION_NAMES[ACTIONS] = {"fail", "lie", "delay", "short", "skip", "kill", "killafter"};

#define CONTROL_BYTES 4096
#define MAX_RULES 32

struct rule {
  unsigned ops;
  char glob[256];
  enum action action;
  long argument, first, last, hits;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct rule rules[MAX_RULES];
static int rule_count;
static const volatile char *control;
static char control_version;
static const char *roots;
static int log_fd = -1, record_fd = -1;
static long slow_us;
static volatile long long clock_ms;

/* What the library itself writes must not be seen by it. */
static void put(int fd, const void *bytes, size_t length) {
  const char *at = bytes;
  while (length > 0) {
    long n = syscall(SYS_write, fd, at, length);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    at += n;
    length -= (size_t)n;
  }
}

static int open_raw(const char *path, int flags) {
  int fd = (int)syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, 0600);
  if (fd < 0) return -1;
  /* Out of the way: low numbers would change those that the process gets. */
  int high = (int)syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 900);
  if (high < 0) return fd;
  syscall(SYS_close, fd);
  return high;
}

static void read_rules(void) {
  char text[CONTROL_BYTES];
  memcpy(text, (const char *)control + 1, CONTROL_BYTES - 1);
  text[CONTROL_BYTES - 1] = 0;
  rule_count = 0;
  clock_ms = 0;
  char *save = NULL;
  for (char *line = strtok_r(text, "\n", &save); line != NULL; line = strtok_r(NULL, "\n", &save)) {
    char ops[64], action[16];
    struct rule rule = {0};
    if (sscanf(line, "%63s %255s %15s %ld %ld %ld", ops, rule.glob, action, &rule.argument, &rule.first, &rule.last) != 6)
      continue;
    if (strcmp(ops, "clock") == 0) {
      clock_ms = rule.argument;
      continue;
    }
    char *inner = NULL;
    for (char *word = strtok_r(ops, ",", &inner); word != NULL; word = strtok_r(NULL, ",", &inner))
      for (int op = 0; op < OPS; op += 1)
        if (strcmp(word, "*") == 0 || strcmp(word, OP_NAMES[op]) == 0) rule.ops |= 1u << op;
    int known = 0;
    for (int at = 0; at < ACTIONS; at += 1)
      if (strcmp(action, ACTION_NAMES[at]) == 0) {
        rule.action = (enum action)at;
        known = 1;
      }
    if (known && rule.ops != 0 && rule_count < MAX_RULES) rules[rule_count++] = rule;
  }
}

static void refresh(void) {
  if (control == NULL || control[0] == control_version) return;
  control_version = control[0];
  __sync_synchronize();
  read_rules();
}

__attribute__((constructor)) static void begin(void) {
  const char *slow = getenv("SLOWSYNC_US");
  slow_us = slow == NULL ? 0 : atol(slow);
  roots = getenv("FAULT_ROOT");
  const char *log = getenv("FAULT_LOG"), *record = getenv("FAULT_RECORD"), *path = getenv("FAULT_CONTROL");
  if (log != NULL) log_fd = open_raw(log, O_WRONLY | O_CREAT | O_APPEND);
  if (record != NULL) record_fd = open_raw(record, O_WRONLY | O_CREAT | O_APPEND);
  if (path != NULL) {
    int fd = open_raw(path, O_RDONLY);
    void *map = fd < 0 ? MAP_FAILED : mmap(NULL, CONTROL_BYTES, PROT_READ, MAP_SHARED, fd, 0);
    if (fd >= 0) syscall(SYS_close, fd);
    if (map != MAP_FAILED) control = map;
    refresh();
  }
}

/* The real function behind a name of ours. */
#define REAL(type, name) \
  static type real; \
  if (real == NULL) real = (type)dlsym(RTLD_NEXT, name)

static int is_seen(const char *path) {
  if (roots == NULL || path == NULL || path[0] != '/') return 0;
  for (const char *at = roots; *at != 0;) {
    size_t length = strcspn(at, ":");
    if (length > 0 && strncmp(path, at, length) == 0 && (path[length] == '/' || path[length] == 0 || path[length] == ' '))
      return 1;
    at += length + (at[length] == ':');
  }
  return 0;
}

static int path_of(int fd, char *into) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t n = readlink(link, into, PATH_MAX - 1);
  into[n < 0 ? 0 : n] = 0;
  return n > 0;
}

static void absolute(const char *path, char *into) {
  if (path[0] == '/' || getcwd(into, PATH_MAX) == NULL) snprintf(into, PATH_MAX, "%s", path);
  else {
    size_t length = strlen(into);
    snprintf(into + length, PATH_MAX - length, "/%s", path);
  }
}

static void nap(long us) {
  struct timespec time = {us / 1000000, (us % 1000000) * 1000};
  while (us > 0 && nanosleep(&time, &time) != 0 && errno == EINTR) {}
}

/* What the rules say of this call: the rule that acts, or NULL. Called with the lock held. */
static const struct rule *judge(enum op op, const char *path) {
  refresh();
  if (log_fd >= 0) {
    char line[PATH_MAX + 16];
    int n = snprintf(line, sizeof line, "%s %s\n", OP_NAMES[op], path);
    put(log_fd, line, (size_t)n);
  }
  const struct rule *found = NULL;
  for (int at = 0; at < rule_count; at += 1) {
    struct rule *rule = &rules[at];
    if ((rule->ops & (1u << op)) == 0 || fnmatch(rule->glob, path, 0) != 0) continue;
    rule->hits += 1;
    if (found == NULL && rule->hits >= rule->first && (rule->last == 0 || rule->hits <= rule->last)) found = rule;
  }
  if (found != NULL && log_fd >= 0) put(log_fd, "! acted\n", 8);
  return found;
}

static void record(const char *op, const char *path, const char *other, long long at, const void *bytes, size_t length) {
  if (record_fd < 0) return;
  char head[2 * PATH_MAX + 128];
  int n = snprintf(head, sizeof head, "%s\t%s\t%s\t%lld\t%zu\n", op, path, other, at, length);
  put(record_fd, head, (size_t)n);
  if (length > 0) put(record_fd, bytes, length);
}

static void die(void) {
  syscall(SYS_kill, getpid(), SIGKILL);
  for (;;) pause();
}

/*
 * Runs `call` (an expression with a result of `type`) under the rules; after it went well, `done` is carried out. The
 * lock is held meanwhile, so that the record has the order of the disk.
 */
#define UNDER(type, op, path, call, done) \
  pthread_mutex_lock(&lock); \
  const struct rule *rule = judge(op, path); \
  enum action action = rule == NULL ? ACTIONS : rule->action; \
  long argument = rule == NULL ? 0 : rule->argument; \
  type result = -1; \
  int failed = 0; \
  if (action == KILL) die(); \
  if (action == FAIL) failed = (int)argument; \
  else if (action == SKIP) result = 0; \
  else { \
    result = (call); \
    if (result < 0) failed = errno; \
    else { done; } \
  } \
  if (action == KILLAFTER) die(); \
  if (action == LIE && failed == 0) { \
    result = -1; \
    failed = (int)argument; \
  } \
  pthread_mutex_unlock(&lock); \
  if (action == DELAY) nap(argument); \
  if (failed != 0) errno = failed; \
  return result

static int opened(const char *path, int existed, int flags, int fd) {
  if (!existed && (flags & O_CREAT)) record("create", path, "", 0, NULL, 0);
  else if (flags & O_TRUNC) record("truncate", path, "", 0, NULL, 0);
  return fd;
}

typedef int (*openat_type)(int, const char *, int, ...);

static int open_any(int dir, const char *name, int flags, mode_t mode) {
  REAL(openat_type, "openat");
  char path[PATH_MAX * 2];
  if (roots == NULL || name == NULL || (dir != AT_FDCWD && name[0] != '/')) return real(dir, name, flags, mode);
  absolute(name, path);
  if (!is_seen(path)) return real(dir, name, flags, mode);
  struct stat before;
  int existed = stat(path, &before) == 0;
  if ((flags & (O_CREAT | O_TRUNC)) == 0) return real(dir, name, flags, mode);
  int fd = -1;
  UNDER(int, OPEN, path, (fd = real(dir, name, flags, mode)), opened(path, existed, flags, fd);
        if (action == LIE) { close(fd); });
}

#define WITH_MODE(flags, mode) \
  mode_t mode = 0; \
  if ((flags) & (O_CREAT | O_TMPFILE)) { \
    va_list list; \
    va_start(list, flags); \
    mode = va_arg(list, mode_t); \
    va_end(list); \
  }

int open(const char *name, int flags, ...) { WITH_MODE(flags, mode) return open_any(AT_FDCWD, name, flags, mode); }
int open64(const char *name, int flags, ...) { WITH_MODE(flags, mode) return open_any(AT_FDCWD, name, flags, mode); }
int openat(int dir, const char *name, int flags, ...) { WITH_MODE(flags, mode) return open_any(dir, name, flags, mode); }
int openat64(int dir, const char *name, int flags, ...) { WITH_MODE(flags, mode) return open_any(dir, name, flags, mode); }

static int is_socket(int fd) {
  struct stat stats;
  return fstat(fd, &stats) == 0 && S_ISSOCK(stats.st_mode);
}

/* What left the process: on a crash, exactly this was promised to others before it. */
static void record_sent(int fd, const struct iovec *parts, int count, ssize_t sent) {
  if (sent <= 0) return;
  size_t left = (size_t)sent;
  char head[64];
  int n = snprintf(head, sizeof head, "sent\t\t\t%d\t%zu\n", fd, left);
  put(record_fd, head, (size_t)n);
  for (int at = 0; at < count && left > 0; at += 1) {
    size_t length = parts[at].iov_len < left ? parts[at].iov_len : left;
    put(record_fd, parts[at].iov_base, length);
    left -= length;
  }
}

static void release(char **memory) { free(*memory); }

/* offset -1: at the file's position. */
static ssize_t write_any(int fd, const struct iovec *parts, int count, off64_t offset) {
  char path[PATH_MAX];
  int seen = roots != NULL && path_of(fd, path) && is_seen(path);
  if (!seen) {
    /* A signal handler writes to a pipe: it must never wait for the lock, which the thread below it may hold. */
    if (record_fd < 0 || !is_socket(fd)) return offset < 0 ? syscall(SYS_writev, fd, parts, count) : pwritev64(fd, parts, count, offset);
    pthread_mutex_lock(&lock);
    ssize_t sent = syscall(SYS_writev, fd, parts, count);
    int error = errno;
    record_sent(fd, parts, count, sent);
    pthread_mutex_unlock(&lock);
    errno = error;
    return sent;
  }
  size_t total = 0;
  for (int at = 0; at < count; at += 1) total += parts[at].iov_len;
  __attribute__((cleanup(release))) char *whole = malloc(total + 1);
  size_t filled = 0;
  for (int at = 0; at < count; filled += parts[at].iov_len, at += 1)
    memcpy(whole + filled, parts[at].iov_base, parts[at].iov_len);
  size_t take = total;
  off64_t place = offset;
  UNDER(ssize_t, WRITE, path,
        (take = action == SHORT && (size_t)argument < total ? (size_t)argument : total,
         offset < 0 ? syscall(SYS_write, fd, whole, take) : syscall(SYS_pwrite64, fd, whole, take, offset)),
        if (offset < 0) place = lseek64(fd, 0, SEEK_CUR) - result;
        record("write", path, "", place, whole, (size_t)result));
}

ssize_t write(int fd, const void *bytes, size_t length) {
  struct iovec part = {(void *)bytes, length};
  if (roots == NULL && record_fd < 0) return syscall(SYS_write, fd, bytes, length);
  return write_any(fd, &part, 1, -1);
}
ssize_t writev(int fd, const struct iovec *parts, int count) { return write_any(fd, parts, count, -1); }
static ssize_t pwrite_any(int fd, const void *bytes, size_t length, off64_t offset) {
  struct iovec part = {(void *)bytes, length};
  if (roots == NULL) return syscall(SYS_pwrite64, fd, bytes, length, offset);
  return write_any(fd, &part, 1, offset);
}
ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) { return pwrite_any(fd, bytes, length, offset); }
ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t offset) { return pwrite_any(fd, bytes, length, offset); }

static int sync_any(int fd, long number) {
  char path[PATH_MAX];
  if (slow_us > 0) nap(slow_us);
  if (roots == NULL || !path_of(fd, path) || !is_seen(path)) return (int)syscall(number, fd);
  UNDER(int, SYNC, path, (int)syscall(number, fd), record("sync", path, "", 0, NULL, 0));
}
int fsync(int fd) { return sync_any(fd, SYS_fsync); }
int fdatasync(int fd) { return sync_any(fd, SYS_fdatasync); }

static int truncate_any(int fd, off64_t length) {
  char path[PATH_MAX];
  if (roots == NULL || !path_of(fd, path) || !is_seen(path)) return (int)syscall(SYS_ftruncate, fd, length);
  UNDER(int, TRUNCATE, path, (int)syscall(SYS_ftruncate, fd, length), record("truncate", path, "", length, NULL, 0));
}
int ftruncate(int fd, off_t length) { return truncate_any(fd, length); }
int ftruncate64(int fd, off64_t length) { return truncate_any(fd, length); }

static int two_names(enum op op, const char *from, const char *to) {
  char one[PATH_MAX * 2], two[PATH_MAX * 2];
  long number = op == RENAME ? SYS_renameat : SYS_linkat;
  absolute(from, one);
  absolute(to, two);
  if (!is_seen(two)) return (int)syscall(number, AT_FDCWD, from, AT_FDCWD, to, 0);
  UNDER(int, op, two, (int)syscall(number, AT_FDCWD, from, AT_FDCWD, to, 0), record(OP_NAMES[op], one, two, 0, NULL, 0));
}
int rename(const char *from, const char *to) { return two_names(RENAME, from, to); }
int link(const char *from, const char *to) { return two_names(LINK, from, to); }

static int one_name(enum op op, const char *name, int flags) {
  char path[PATH_MAX * 2];
  absolute(name, path);
  if (!is_seen(path)) return (int)syscall(SYS_unlinkat, AT_FDCWD, name, flags);
  UNDER(int, op, path, (int)syscall(SYS_unlinkat, AT_FDCWD, name, flags), record("unlink", path, "", 0, NULL, 0));
}
int unlink(const char *name) { return one_name(UNLINK, name, 0); }
int rmdir(const char *name) { return one_name(UNLINK, name, AT_REMOVEDIR); }

int mkdir(const char *name, mode_t mode) {
  char path[PATH_MAX * 2];
  absolute(name, path);
  if (!is_seen(path)) return (int)syscall(SYS_mkdirat, AT_FDCWD, name, mode);
  UNDER(int, MKDIR, path, (int)syscall(SYS_mkdirat, AT_FDCWD, name, mode), record("mkdir", path, "", 0, NULL, 0));
}

int clock_gettime(clockid_t id, struct timespec *time) {
  typedef int (*type)(clockid_t, struct timespec *);
  REAL(type, "clock_gettime");
  int result = real(id, time);
  if (control != NULL && control[0] != control_version) {
    pthread_mutex_lock(&lock);
    refresh();
    pthread_mutex_unlock(&lock);
  }
  if (result == 0 && id == CLOCK_REALTIME) time->tv_sec += clock_ms / 1000;
  return result;
}
int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  (void)zone;
  struct timespec now;
  int result = clock_gettime(CLOCK_REALTIME, &now);
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1000;
  return result;
}
