// Eight bytes at a time, for the limits.
#ifndef TERN_BENCH_WORDS_H
#define TERN_BENCH_WORDS_H

#include <stdint.h>
#include <string.h>

// The highest bit of each byte: what no byte of ASCII has.
#define TOPS UINT64_C(0x8080808080808080)

static inline uint64_t load8(const char *p) {
  uint64_t w;
  memcpy(&w, p, 8);
  return w;
}

static inline void store8(char *p, uint64_t w) { memcpy(p, &w, 8); }

#endif
