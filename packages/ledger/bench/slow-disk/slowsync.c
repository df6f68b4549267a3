// LD_PRELOAD: makes every fsync and fdatasync take SLOWSYNC_US microseconds longer, as on a slower disk.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

typedef int (*sync_call)(int);

static int slowly(const char *name, int file) {
  const char *wanted = getenv("SLOWSYNC_US");
  long us = wanted ? atol(wanted) : 0;
  int result = ((sync_call)dlsym(RTLD_NEXT, name))(file);
  struct timespec pause = {us / 1000000, (us % 1000000) * 1000};
  if (us > 0) nanosleep(&pause, NULL);
  return result;
}

int fsync(int file) { return slowly("fsync", file); }
int fdatasync(int file) { return slowly("fdatasync", file); }
