/* What blocks of bytes, images of them, and the heap of structures and arrays ask of the system
 * (Tern.Wasm.Block, Tern.Wasm.Image, Tern.Wasm.Heap). */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <sys/mman.h>
#include <sys/resource.h>
#ifdef __linux__
#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>
#endif

/* Pages of zeroes for n bytes, none of which is there before it is touched; null where the system
 * has no such memory. */
void *tern_wasm_pages(size_t n) {
  void *pages = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return pages == MAP_FAILED ? NULL : pages;
}

/* Give them back: their number of bytes, as a pointer, and where they begin. */
void tern_wasm_end_pages(void *n, void *pages) { munmap(pages, (size_t)(uintptr_t)n); }

/* A file of n zeroes without a name, and in *bytes where it can be written; -1 where the system
 * has none, or half of the process's descriptors are in use. Programs that this one starts do not get it. */
int tern_wasm_image(size_t n, void **bytes) {
#ifdef __linux__
  /* Without the right to be run, where the system knows of that: some refuse others. */
  const unsigned noexec = 8; /* MFD_NOEXEC_SEAL, which older headers do not have */
  int file = memfd_create("tern-wasm", MFD_CLOEXEC | MFD_ALLOW_SEALING | noexec);
  if (file < 0) file = memfd_create("tern-wasm", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file < 0) return -1;
  /* Descriptors are given from the lowest on: the upper half of them is left to others, so that a
   * host which keeps many modules can go on opening files. */
  struct rlimit most;
  if (getrlimit(RLIMIT_NOFILE, &most) != 0 || (rlim_t)file >= most.rlim_cur / 2) {
    close(file);
    return -1;
  }
  if (ftruncate(file, (off_t)n) == 0) {
    *bytes = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (*bytes != MAP_FAILED) return file;
  }
  close(file);
#else
  (void)n, (void)bytes;
#endif
  return -1;
}

/* From here on nobody changes the file, by whatever descriptor, nor makes it shorter; 0 if that
 * holds. It is nowhere mapped for writing. */
int tern_wasm_seal(int file) {
#ifdef __linux__
  return fcntl(file, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
#else
  (void)file;
  return -1;
#endif
}

/* Put the n bytes of a file in the place of whole pages that begin at an address, so that what is
 * written there is of these pages alone; 0 if they are there. */
int tern_wasm_lay(void *at, int file, size_t n) {
  void *pages = mmap(at, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file, 0);
  return pages == MAP_FAILED ? -1 : 0;
}

/* Close a file, whose descriptor is given as a pointer. */
void tern_wasm_end_image(void *file) {
#ifdef __linux__
  close((int)(intptr_t)file);
#else
  (void)file;
#endif
}

/* Make n bytes zero, and give their pages back where the system takes them. The
 * bytes are whole pages of private memory that no file is behind. */
void tern_wasm_give_back(void *from, size_t n) {
#ifdef __linux__
  if (madvise(from, n, MADV_DONTNEED) == 0) return;
#endif
  memset(from, 0, n);
}

/* A number that a guest cannot guess. Where the system gives none, one that it can
 * guess with trouble. */
uint64_t tern_wasm_secret(void) {
  uint64_t secret = 0;
#ifdef __linux__
  if (getrandom(&secret, sizeof secret, GRND_NONBLOCK) == (ssize_t)sizeof secret) return secret;
#endif
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  secret = (uint64_t)now.tv_nsec * 0x9E3779B97F4A7C15u;
  return secret ^ (uint64_t)(uintptr_t)&secret ^ ((uint64_t)now.tv_sec << 32);
}
