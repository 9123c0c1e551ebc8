/* What blocks of bytes, and the heap of structures and arrays, ask of the system (Tern.Wasm.Block,
 * Tern.Wasm.Heap). */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <sys/mman.h>
#ifdef __linux__
#include <sys/random.h>
#endif

/* Pages of zeroes for n bytes, none of which is there before it is touched; null where the system
 * has no such memory. */
void *tern_wasm_pages(size_t n) {
  void *pages = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return pages == MAP_FAILED ? NULL : pages;
}

/* Give them back: their number of bytes, as a pointer, and where they begin. */
void tern_wasm_end_pages(void *n, void *pages) { munmap(pages, (size_t)(uintptr_t)n); }

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
