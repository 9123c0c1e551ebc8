/* CRC32C (Castagnoli, reflected polynomial 82f63b78), and the search for the
 * head of a container's block.
 *
 * Called from Tern.Prim.Checksum by unsafe foreign calls: nothing here calls
 * back or allocates, and every function reads only the bytes it is given.
 *
 * Where the processor has an instruction for it, three runs of bytes go at once,
 * for one step needs the result of the one before: the registers of the parts
 * are joined by tables that stand for a run of zeros. Elsewhere eight tables take
 * eight bytes at a time.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#include <nmmintrin.h>
#elif defined(__ARM_FEATURE_CRC32)
#include <arm_acle.h>
#endif

#define POLYNOMIAL 0x82f63b78u
#define RUN 1024

static pthread_once_t made = PTHREAD_ONCE_INIT;
static uint32_t by_eight[8][256]; /* [k]: a byte and k zeros after it */
static uint32_t over_run[4][256]; /* each byte of a register, over RUN zeros */
static uint32_t over_two[4][256]; /* and over 2 * RUN */
static int has_instruction = 0;

static inline uint32_t load32(const uint8_t *p) {
  uint32_t w;
  memcpy(&w, p, 4);
  return w;
}

static inline uint64_t load64(const uint8_t *p) {
  uint64_t w;
  memcpy(&w, p, 8);
  return w;
}

/* The register after n bytes. */
static uint32_t through_tables(uint32_t c, const uint8_t *p, size_t n) {
  for (; n >= 8; p += 8, n -= 8) {
    uint32_t a = c ^ load32(p), b = load32(p + 4);
    c = by_eight[7][a & 255] ^ by_eight[6][a >> 8 & 255] ^
        by_eight[5][a >> 16 & 255] ^ by_eight[4][a >> 24] ^
        by_eight[3][b & 255] ^ by_eight[2][b >> 8 & 255] ^
        by_eight[1][b >> 16 & 255] ^ by_eight[0][b >> 24];
  }
  for (; n > 0; p++, n--)
    c = c >> 8 ^ by_eight[0][(c ^ *p) & 255];
  return c;
}

/* What a run of zeros does to a register is linear in its bits. */
static void make_over(uint32_t over[4][256], size_t n) {
  static const uint8_t zeros[RUN];
  for (int k = 0; k < 4; k++)
    for (int bit = 0; bit < 8; bit++) {
      uint32_t c = 1u << (8 * k + bit);
      for (size_t done = 0; done < n; done += RUN)
        c = through_tables(c, zeros, RUN);
      for (int low = 0; low < 1 << bit; low++)
        over[k][1 << bit | low] = over[k][low] ^ c;
    }
}

static void make(void) {
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t c = i;
    for (int bit = 0; bit < 8; bit++)
      c = c >> 1 ^ (c & 1 ? POLYNOMIAL : 0);
    by_eight[0][i] = c;
  }
  for (int k = 1; k < 8; k++)
    for (uint32_t i = 0; i < 256; i++)
      by_eight[k][i] =
          by_eight[k - 1][i] >> 8 ^ by_eight[0][by_eight[k - 1][i] & 255];
  make_over(over_run, RUN);
  make_over(over_two, 2 * RUN);
#if defined(__x86_64__)
  __builtin_cpu_init();
  has_instruction = __builtin_cpu_supports("sse4.2") != 0;
#elif defined(__ARM_FEATURE_CRC32)
  has_instruction = 1;
#endif
}

#if defined(__x86_64__)
#define STEP64(c, w) ((uint32_t)_mm_crc32_u64(c, w))
#define STEP8(c, b) _mm_crc32_u8(c, b)
#define WITH_INSTRUCTION __attribute__((target("sse4.2")))
#elif defined(__ARM_FEATURE_CRC32)
#define STEP64(c, w) __crc32cd(c, w)
#define STEP8(c, b) __crc32cb(c, b)
#define WITH_INSTRUCTION
#endif

#if defined(STEP64)
static inline uint32_t over(uint32_t table[4][256], uint32_t c) {
  return table[0][c & 255] ^ table[1][c >> 8 & 255] ^
         table[2][c >> 16 & 255] ^ table[3][c >> 24];
}

WITH_INSTRUCTION
static uint32_t by_instruction(uint32_t c, const uint8_t *p, size_t n) {
  for (; n >= 3 * RUN; p += 3 * RUN, n -= 3 * RUN) {
    uint32_t second = 0, third = 0;
    for (size_t i = 0; i < RUN; i += 8) {
      c = STEP64(c, load64(p + i));
      second = STEP64(second, load64(p + RUN + i));
      third = STEP64(third, load64(p + 2 * RUN + i));
    }
    c = over(over_two, c) ^ over(over_run, second) ^ third;
  }
  for (; n >= 8; p += 8, n -= 8)
    c = STEP64(c, load64(p));
  for (; n > 0; p++, n--)
    c = STEP8(c, *p);
  return c;
}
#endif

/* The checksum of n bytes at an offset. */
uint64_t tern_crc32c(const uint8_t *p, size_t from, size_t n) {
  pthread_once(&made, make);
#if defined(STEP64)
  if (has_instruction)
    return ~by_instruction(~0u, p + from, n) & 0xffffffffu;
#endif
  return ~through_tables(~0u, p + from, n) & 0xffffffffu;
}

/* The same without the instruction. */
uint64_t tern_crc32c_tables(const uint8_t *p, size_t from, size_t n) {
  pthread_once(&made, make);
  return ~through_tables(~0u, p + from, n) & 0xffffffffu;
}

/* The first place from an offset on, of n bytes, where a block's head of 64 bytes
 * stands as far as its checksum says; n where there is none. A head begins with the
 * file's mark; where that is not known (known is 0) only zeros tell where one could
 * be: three bytes of each head, and the two highest bits of its sizes and numbers. */
size_t tern_find_head(const uint8_t *p, size_t from, size_t n, uint64_t known,
                      uint64_t mark) {
  for (size_t i = from; n >= 64 && i <= n - 64; i++) {
    if (known ? load64(p + i) != mark
              : (load32(p + i + 8) >> 8) != 0 ||
                    ((load64(p + i + 16) | load64(p + i + 24) |
                      load64(p + i + 32) | load64(p + i + 40) |
                      load64(p + i + 48)) >>
                     62) != 0)
      continue;
    if (tern_crc32c(p, i, 60) == load32(p + i + 60))
      return i;
  }
  return n;
}
