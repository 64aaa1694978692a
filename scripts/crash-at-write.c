/* Kills the process that loads it, or simulates a full disk, at one of its writes to a journal.
 *
 * CRASH_AT=N      the number of the write, from 1, counted over the lines of 'journal.jsonl'
 * CRASH_HOW=WAY   before: kills before the write; half: after half of its bytes; after: after it;
 *                 full: from this write on, nothing more can be written
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atomic_int count;

static int is_journal(int file) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    const char *name = strrchr(path, '/');
    return name && strcmp(name, "/journal.jsonl") == 0;
}

ssize_t write(int file, const void *bytes, size_t size) {
    static ssize_t (*real)(int, const void *, size_t);
    if (!real) real = (ssize_t (*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    const char *at = getenv("CRASH_AT"), *how = getenv("CRASH_HOW");
    if (!at || !how || !is_journal(file)) return real(file, bytes, size);
    int number = atomic_fetch_add(&count, 1) + 1, meant = atoi(at);
    if (strcmp(how, "full") == 0) {
        if (number < meant) return real(file, bytes, size);
        errno = ENOSPC;
        return -1;
    }
    if (number != meant) return real(file, bytes, size);
    if (strcmp(how, "half") == 0) real(file, bytes, size / 2);
    if (strcmp(how, "after") == 0) real(file, bytes, size);
    kill(getpid(), SIGKILL);
    for (;;) pause();
}
