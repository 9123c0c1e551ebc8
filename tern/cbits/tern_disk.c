/* What the language's own library has not: locks that other processes see, and
 * bytes that are on the disk before one goes on. */
/* Beyond C itself: files, locks, and what a disk has. */
#define _DEFAULT_SOURCE
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
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

/* Open a file, only to lock it: its descriptor, or -1. One that may be written to and not
 * be read can be locked too; a pipe is not waited for. */
int tern_open(const char *path) {
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  return fd == -1 && errno == EACCES ? open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK) : fd;
}

int tern_close(int fd) { return close(fd); }

/* Is what is open still what the path leads to? */
int tern_same(int fd, const char *path) {
  struct stat here, there;
  return fstat(fd, &here) == 0 && stat(path, &there) == 0 &&
         here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

/* What stands at a path, or at the end of its links: 0 nothing, 1 a regular file, 2 a folder,
 * 3 a link, 4 anything else; -1 if that cannot be said, as of links in a circle. */
int tern_found(const char *path, int follow) {
  struct stat found;
  if ((follow ? stat(path, &found) : lstat(path, &found)) == -1)
    return errno == ENOENT ? 0 : -1;
  return S_ISREG(found.st_mode) ? 1 : S_ISDIR(found.st_mode) ? 2 : S_ISLNK(found.st_mode) ? 3 : 4;
}

/* May the process write to what a path leads to? 0, or -1. */
int tern_writable(const char *path) { return faccessat(AT_FDCWD, path, W_OK, AT_EACCESS); }

/* Give a file that is open the owner, the group and the permissions of the one at a path. Who
 * may not give files away keeps it: then the bits that lend a user's or a group's rights
 * are gone, and another group may do what everybody may. */
int tern_like(int fd, const char *path) {
  struct stat old, new;
  if (stat(path, &old) == -1)
    return -1;
  /* Who may not change the owner may be allowed to change the group. */
  if (fchown(fd, old.st_uid, old.st_gid) == -1 && fchown(fd, (uid_t)-1, old.st_gid) == -1 &&
      errno != EPERM && errno != EINVAL)
    return -1;
  if (fstat(fd, &new) == -1)
    return -1;
  mode_t mode = old.st_mode & 07777;
  if (new.st_uid != old.st_uid)
    mode &= ~(mode_t)06000;
  if (new.st_gid != old.st_gid)
    mode = (mode & ~(mode_t)02070) | (mode & 07) << 3;
  return fchmod(fd, mode);
}

/* Wait until the disk has all that was written to a file. What has no disk, as a pipe, says
 * EINVAL. */
int tern_sync(int fd) {
  int result;
  do
    result = fsync(fd);
  while (result == -1 && errno == EINTR);
  return result == -1 && errno == EINVAL ? 0 : result;
}

/* Write the n bytes at p where the file stands: 0, or -1 if not all could be. */
int tern_write(int fd, const uint8_t *p, size_t n) {
  while (n > 0) {
    ssize_t done = write(fd, p, n);
    if (done > 0) {
      p += done;
      n -= (size_t)done;
    } else if (done == -1 && errno == EAGAIN) {
      /* A pipe that is full, opened by a language that does not wait. */
      struct pollfd full = {.fd = fd, .events = POLLOUT};
      if (poll(&full, 1, -1) == -1 && errno != EINTR)
        return -1;
    } else if (done == 0 || errno != EINTR) {
      if (done == 0)
        errno = ENOSPC;
      return -1;
    }
  }
  return 0;
}
