/* What the language's own library has not: locks that other processes see, and
 * bytes that are on the disk before one goes on. */
/* Beyond C itself: files, locks, and what a disk has. */
#define _DEFAULT_SOURCE
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Lock a file for this open of it alone: 0, 1 if somebody else has, -1 on error. Programs
 * that are started in the meantime must not keep it open, and locked. */
int tern_lock(int fd) {
  int result;
  if (fcntl(fd, F_SETFD, FD_CLOEXEC) == -1)
    return -1;
  do
    result = flock(fd, LOCK_EX | LOCK_NB);
  while (result == -1 && errno == EINTR);
  return result == -1 && errno == EWOULDBLOCK ? 1 : result;
}

/* Let a lock go, also where a program that was just started has the file open too. */
int tern_unlock(int fd) { return flock(fd, LOCK_UN); }

/* Open a file, only to lock it: its descriptor, or -1. */
int tern_open(const char *path) { return open(path, O_RDONLY | O_CLOEXEC); }

int tern_close(int fd) { return close(fd); }

/* Is what is open still what the path leads to? */
int tern_same(int fd, const char *path) {
  struct stat here, there;
  return fstat(fd, &here) == 0 && stat(path, &there) == 0 &&
         here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

/* Wait until the disk has all that was written to a file. */
int tern_sync(int fd) {
  int result;
  do
    result = fsync(fd);
  while (result == -1 && errno == EINTR);
  return result;
}

/* Write the n bytes at p where the file stands: 0, or -1 if not all could be. */
int tern_write(int fd, const uint8_t *p, size_t n) {
  while (n > 0) {
    ssize_t done = write(fd, p, n);
    if (done > 0) {
      p += done;
      n -= (size_t)done;
    } else if (done == 0 || errno != EINTR) {
      if (done == 0)
        errno = ENOSPC;
      return -1;
    }
  }
  return 0;
}
