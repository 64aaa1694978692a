/* Kills the process that loads it, or simulates a full disk, at one of its writes to a journal or a ledger.
 *
 * CRASH_FILE=NAME the name of the file; 'journal.jsonl' without it
 * CRASH_AT=N      the number of the line, from 1, of those that are written to the file, several in one write
 * CRASH_HOW=WAY   before: kills before the line; half: after half of its bytes; after: after it;
 *                 full: from this line on, nothing more can be written
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
    const char *meant = getenv("CRASH_FILE");
    return name && strcmp(name + 1, meant ? meant : "journal.jsonl") == 0;
}

ssize_t write(int file, const void *bytes, size_t size) {
    static ssize_t (*real)(int, const void *, size_t);
    if (!real) real = (ssize_t (*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    const char *at = getenv("CRASH_AT"), *how = getenv("CRASH_HOW");
    if (!at || !how || !is_journal(file)) return real(file, bytes, size);
    int meant = atoi(at);
    size_t start = 0;
    while (start < size) {
        const char *line = (const char *)bytes + start, *end = memchr(line, '\n', size - start);
        size_t length = end ? (size_t)(end - line) + 1 : size - start;
        if (atomic_fetch_add(&count, 1) + 1 >= meant) {
            if (start > 0) real(file, bytes, start);
            if (strcmp(how, "full") == 0) {
                if (start > 0) return start;
                errno = ENOSPC;
                return -1;
            }
            if (strcmp(how, "half") == 0) real(file, line, length / 2);
            if (strcmp(how, "after") == 0) real(file, line, length);
            kill(getpid(), SIGKILL);
            for (;;) pause();
        }
        start += length;
    }
    return real(file, bytes, size);
}
