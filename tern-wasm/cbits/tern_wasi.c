// The system's calls for a guest's files, by descriptors only. Each returns a number
// from 0 on, or an error's number of WASI below 0. None follows a link that is the last
// component of a name, none waits for another process, and every descriptor is closed
// in programs that are started.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>
#if __has_include(<linux/openat2.h>)
#include <linux/openat2.h>
#endif
#endif
#ifndef O_PATH
#define O_PATH (O_RDONLY | O_NONBLOCK)
#endif

enum { NOTCAPABLE = 76, NOSYS = 52 };

// WASI numbers errors by their names in the order of the alphabet.
static int number(int e) {
  switch (e) {
    case E2BIG: return 1;
    case EACCES: return 2;
    case EAGAIN: return 6;
    case EBADF: return 8;
    case EBUSY: return 10;
    case EDQUOT: return 19;
    case EEXIST: return 20;
    case EFAULT: return 21;
    case EFBIG: return 22;
    case EILSEQ: return 25;
    case EINTR: return 27;
    case EINVAL: return 28;
    case EIO: return 29;
    case EISDIR: return 31;
    case ELOOP: return 32;
    case EMFILE: return 33;
    case EMLINK: return 34;
    case ENAMETOOLONG: return 37;
    case ENFILE: return 41;
    case ENODEV: return 43;
    case ENOENT: return 44;
    case ENOLCK: return 46;
    case ENOMEM: return 48;
    case ENOSPC: return 51;
    case ENOSYS: return 52;
    case ENOTCONN: return 53;
    case ENOTDIR: return 54;
    case ENOTEMPTY: return 55;
    case ENOTSOCK: return 57;
    case ENOTSUP: return 58;
    case ENOTTY: return 59;
    case ENXIO: return 60;
    case EOVERFLOW: return 61;
    case EPERM: return 63;
    case EPIPE: return 64;
    case ERANGE: return 68;
    case EROFS: return 69;
    case ESPIPE: return 70;
    case ESTALE: return 72;
    case ETIMEDOUT: return 73;
    case ETXTBSY: return 74;
    case EXDEV: return 75;
    default: return 29;
  }
}

static int64_t said(int64_t r) { return r < 0 ? -number(errno) : r; }

// --- Opening and closing --------------------------------------------------------

int tern_wasi_close(int fd) { return said(close(fd)); }

// The same open file under a number of its own.
int tern_wasi_dup(int fd) { return said(fcntl(fd, F_DUPFD_CLOEXEC, 3)); }

// A directory to read entries from, or, where it may not be read, only to go through.
static int folder(int dir, const char *name, int flags) {
  int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags);
  return fd < 0 && errno == EACCES ? openat(dir, name, O_PATH | O_DIRECTORY | O_CLOEXEC | flags) : fd;
}

int tern_wasi_root(const char *path) { return said(folder(AT_FDCWD, path, 0)); }

int tern_wasi_folder(int dir, const char *name) { return said(folder(dir, name, O_NOFOLLOW)); }

// What a name stands for, a link too, without opening it.
int tern_wasi_look(int dir, const char *name) { return said(openat(dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC)); }

// The directory at a path that must not lead above another, and over no link: those the
// kernel would follow unpaid. NOSYS: there is one, or the kernel cannot say, or not now.
int tern_wasi_beneath(int root, const char *path) {
#if defined(SYS_openat2) && defined(RESOLVE_BENEATH)
  struct open_how how = {.flags = O_PATH | O_DIRECTORY | O_CLOEXEC, .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS};
  long fd = syscall(SYS_openat2, root, path, &how, sizeof how);
  if (fd >= 0) return fd;
  switch (errno) {
    case EXDEV: return -NOTCAPABLE;
    case ELOOP: case ENOSYS: case EPERM: case EAGAIN: case E2BIG: case EINVAL: return -NOSYS;
    default: return said(fd);
  }
#else
  (void)root;
  (void)path;
  return -NOSYS;
#endif
}

// A file. Bits: 1 read, 2 write, 4 create, 8 exclusively, 16 truncate, 32 append,
// 64 and 128 synchronously. Never waits for the other end of a pipe.
int tern_wasi_file(int dir, const char *name, int bits) {
  int access = bits & 2 ? (bits & 1 ? O_RDWR : O_WRONLY) : O_RDONLY;
  int flags = (bits & 4 ? O_CREAT : 0) | (bits & 8 ? O_EXCL : 0) | (bits & 16 ? O_TRUNC : 0) |
              (bits & 32 ? O_APPEND : 0) | (bits & 64 ? O_DSYNC : 0) | (bits & 128 ? O_SYNC : 0);
  return said(openat(dir, name, access | flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666));
}

// --- What a file is -------------------------------------------------------------

static int kind(mode_t mode) {
  if (S_ISBLK(mode)) return 1;
  if (S_ISCHR(mode)) return 2;
  if (S_ISDIR(mode)) return 3;
  if (S_ISREG(mode)) return 4;
  if (S_ISSOCK(mode)) return 6;
  if (S_ISLNK(mode)) return 7;
  return 0;
}

static uint64_t nanoseconds(struct timespec t) { return (uint64_t)t.tv_sec * 1000000000u + t.tv_nsec; }

// Device, node, type, links, size, times of access, change of content, any change;
// and whether it is a pipe.
static int status(struct stat *s, uint64_t *to) {
  uint64_t row[9] = {s->st_dev, s->st_ino, kind(s->st_mode), s->st_nlink, s->st_size,
                     nanoseconds(s->st_atim), nanoseconds(s->st_mtim), nanoseconds(s->st_ctim), S_ISFIFO(s->st_mode)};
  memcpy(to, row, sizeof row);
  return 0;
}

int tern_wasi_status(int fd, uint64_t *to) {
  struct stat s;
  return fstat(fd, &s) < 0 ? said(-1) : status(&s, to);
}

int tern_wasi_status_at(int dir, const char *name, uint64_t *to) {
  struct stat s;
  return fstatat(dir, name, &s, AT_SYMLINK_NOFOLLOW) < 0 ? said(-1) : status(&s, to);
}

static void times(uint64_t at, uint64_t mt, int bits, struct timespec *t) {
  t[0] = (struct timespec){at / 1000000000u, at % 1000000000u};
  t[1] = (struct timespec){mt / 1000000000u, mt % 1000000000u};
  if (!(bits & 3)) t[0].tv_nsec = UTIME_OMIT;
  if (bits & 2) t[0].tv_nsec = UTIME_NOW;
  if (!(bits & 12)) t[1].tv_nsec = UTIME_OMIT;
  if (bits & 8) t[1].tv_nsec = UTIME_NOW;
}

int tern_wasi_times(int fd, uint64_t at, uint64_t mt, int bits) {
  struct timespec t[2];
  times(at, mt, bits, t);
  return said(futimens(fd, t));
}

int tern_wasi_times_at(int dir, const char *name, uint64_t at, uint64_t mt, int bits) {
  struct timespec t[2];
  times(at, mt, bits, t);
  return said(utimensat(dir, name, t, AT_SYMLINK_NOFOLLOW));
}

// --- Names in directories -------------------------------------------------------

int64_t tern_wasi_link_text(int dir, const char *name, char *to, uint64_t n) { return said(readlinkat(dir, name, to, n)); }

int tern_wasi_make_folder(int dir, const char *name) { return said(mkdirat(dir, name, 0777)); }

int tern_wasi_remove_folder(int dir, const char *name) { return said(unlinkat(dir, name, AT_REMOVEDIR)); }

// Not a directory: some systems would let root do that.
int tern_wasi_remove_file(int dir, const char *name) { return said(unlinkat(dir, name, 0)); }

int tern_wasi_rename(int dir, const char *name, int dir2, const char *name2) { return said(renameat(dir, name, dir2, name2)); }

int tern_wasi_link(int dir, const char *name, int dir2, const char *name2) { return said(linkat(dir, name, dir2, name2, 0)); }

int tern_wasi_symlink(const char *text, int dir, const char *name) { return said(symlinkat(text, dir, name)); }

// Entries from a place on as the system writes them: node, next place, length, type,
// name. Bytes, or 0 at the end.
int64_t tern_wasi_entries(int fd, uint64_t from, char *to, uint64_t n) {
#ifdef __linux__
  if (lseek(fd, (off_t)from, SEEK_SET) < 0) return said(-1);
  return said(syscall(SYS_getdents64, fd, to, n));
#else
  (void)fd, (void)from, (void)to, (void)n;
  return -NOSYS;
#endif
}

// --- Content --------------------------------------------------------------------

// From a pipe, a terminal or a socket: what is there now. Where another reader was
// quicker this is "again", if the system can say so.
int64_t tern_wasi_read_stream(int fd, void *to, uint64_t n) {
#ifdef RWF_NOWAIT
  struct iovec v = {to, n};
  ssize_t r = preadv2(fd, &v, 1, -1, RWF_NOWAIT);
  if (r >= 0 || (errno != EOPNOTSUPP && errno != ENOSYS && errno != ESPIPE && errno != EINVAL)) return said(r);
#endif
  return said(read(fd, to, n));
}

int64_t tern_wasi_read(int fd, void *to, uint64_t n) { return said(read(fd, to, n)); }

// Where the host limits the size of files, a call that goes over the limit also sends
// the thread a signal that ends the process. It is taken back here.
static int limited(sigset_t *before) {
  struct rlimit most;
  sigset_t one;
  if (getrlimit(RLIMIT_FSIZE, &most) < 0 || most.rlim_cur == RLIM_INFINITY) return 0;
  sigemptyset(&one);
  sigaddset(&one, SIGXFSZ);
  return pthread_sigmask(SIG_BLOCK, &one, before) == 0;
}

static int64_t within_limit(int is, sigset_t *before, int64_t r) {
  if (is) {
    int e = errno;
    struct timespec now = {0, 0};
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, SIGXFSZ);
    if (r < 0 && e == EFBIG && !sigismember(before, SIGXFSZ)) sigtimedwait(&one, NULL, &now);
    pthread_sigmask(SIG_SETMASK, before, NULL);
    errno = e;
  }
  return said(r);
}

int64_t tern_wasi_write(int fd, const void *from, uint64_t n) {
  sigset_t before;
  int is = limited(&before);
  return within_limit(is, &before, write(fd, from, n));
}

int64_t tern_wasi_pread(int fd, void *to, uint64_t n, int64_t at) { return said(pread(fd, to, n, at)); }

int64_t tern_wasi_pwrite(int fd, const void *from, uint64_t n, int64_t at) {
  sigset_t before;
  int is = limited(&before);
  return within_limit(is, &before, pwrite(fd, from, n, at));
}

// From the start (0), from here (1), from the end (2).
int64_t tern_wasi_seek(int fd, int64_t by, int from) {
  return said(lseek(fd, by, from == 0 ? SEEK_SET : from == 1 ? SEEK_CUR : SEEK_END));
}

int tern_wasi_resize(int fd, int64_t n) {
  sigset_t before;
  int is = limited(&before);
  return within_limit(is, &before, ftruncate(fd, n));
}

int tern_wasi_sync(int fd, int all) {
#ifdef __linux__
  return said(all ? fsync(fd) : fdatasync(fd));
#else
  (void)all;
  return said(fsync(fd));
#endif
}

int tern_wasi_append(int fd, int yes) {
  int flags = fcntl(fd, F_GETFL);
  if (flags < 0) return said(-1);
  return said(fcntl(fd, F_SETFL, yes ? flags | O_APPEND : flags & ~O_APPEND));
}

// --- Waiting --------------------------------------------------------------------

// Pairs of a descriptor and what is waited for (1 to read, 2 to write), which becomes
// what there is (1, 2, 4 the other end is gone, 8 it is broken). Waits at most the number
// of milliseconds; how many are ready then.
int tern_wasi_poll(int32_t *pairs, int n, int milliseconds) {
  struct pollfd fds[n < 1 ? 1 : n];
  for (int k = 0; k < n; k++)
    fds[k] = (struct pollfd){pairs[2 * k], (pairs[2 * k + 1] & 1 ? POLLIN : 0) | (pairs[2 * k + 1] & 2 ? POLLOUT : 0), 0};
  int r = poll(fds, n, milliseconds);
  for (int k = 0; k < n; k++) {
    int got = r > 0 ? fds[k].revents : 0;
    pairs[2 * k + 1] = (got & POLLIN ? 1 : 0) | (got & POLLOUT ? 2 : 0) | (got & POLLHUP ? 4 : 0) | (got & (POLLERR | POLLNVAL) ? 8 : 0);
  }
  return r < 0 && errno == EINTR ? 0 : said(r);
}

// How many bytes can be read now.
int64_t tern_wasi_waiting(int fd) {
  int n = 0;
  return ioctl(fd, FIONREAD, &n) < 0 ? 0 : n;
}

// --- Chance and clocks ----------------------------------------------------------

int tern_wasi_random(char *to, uint64_t n) {
  for (uint64_t k = 0; k < n; k += 256)
    if (getentropy(to + k, n - k < 256 ? n - k : 256) < 0) return said(-1);
  return 0;
}

// The time of a clock, or its resolution, in nanoseconds.
int64_t tern_wasi_clock(int which, int resolution) {
  static const clockid_t clocks[4] = {CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID};
  struct timespec t;
  if (which < 0 || which > 3) return -28;
  return (resolution ? clock_getres : clock_gettime)(clocks[which], &t) < 0 ? said(-1) : (int64_t)nanoseconds(t);
}
