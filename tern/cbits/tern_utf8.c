/* UTF-8 in 32 bytes at a time, where the processor has AVX2.
 *
 * The idea (Keiser and Lemire, "Validating UTF-8 in less than one instruction per
 * byte", 2021): each ill-formed sequence shows in two bytes next to each other. Three
 * tables of sixteen entries say which faults the high half of the first of them, its low half
 * and the high half of the second allow; a fault that all three allow is there. Only
 * that third and fourth bytes are where they have to be is asked apart.
 *
 * Where a fault is, is not said: what comes before 128 bytes with one is well-formed,
 * and the caller (tern_scan.c) looks on from there byte by byte.
 */
#include <stddef.h>
#include <stdint.h>

typedef const uint8_t *bytes;

bytes tern_utf8_wide(bytes p, bytes end);
bytes tern_utf8_wide_copy(bytes p, bytes end, uint8_t *to);

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#include <stdatomic.h>

#define WIDE __attribute__((target("avx2")))

enum {
  TOO_SHORT = 1,    /* a first byte that no continuation follows */
  TOO_LONG = 2,     /* a continuation after a byte of ASCII */
  OVERLONG_3 = 4,   /* e0 80..9f */
  TOO_LARGE = 8,    /* f4 90..bf, and f5 on */
  SURROGATE = 16,   /* ed a0..bf */
  OVERLONG_2 = 32,  /* c0 and c1 */
  OVERLONG_4 = 64,  /* f0 80..8f; and f5 on, before 80..8f */
  TWO = 128,        /* two continuations: right in the third and fourth place */
  ANY_LOW = TOO_SHORT | TOO_LONG | TWO,
  BEYOND = ANY_LOW | TOO_LARGE | OVERLONG_4
};

/* The same sixteen bytes in both halves. */
#define BOTH(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p)                   \
  _mm256_setr_epi8((char)(a), (char)(b), (char)(c), (char)(d), (char)(e),      \
                   (char)(f), (char)(g), (char)(h), (char)(i), (char)(j),      \
                   (char)(k), (char)(l), (char)(m), (char)(n), (char)(o),      \
                   (char)(p), (char)(a), (char)(b), (char)(c), (char)(d),      \
                   (char)(e), (char)(f), (char)(g), (char)(h), (char)(i),      \
                   (char)(j), (char)(k), (char)(l), (char)(m), (char)(n),      \
                   (char)(o), (char)(p))

WIDE static inline __m256i high_halves(__m256i v) {
  return _mm256_and_si256(_mm256_srli_epi16(v, 4), _mm256_set1_epi8(15));
}

/* Which bytes of v, which come after those of before, are at fault: not zero. */
WIDE static inline __m256i faults(__m256i v, __m256i before) {
  const __m256i first_high =
      BOTH(TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG,
           TOO_LONG, TWO, TWO, TWO, TWO, TOO_SHORT | OVERLONG_2, TOO_SHORT,
           TOO_SHORT | OVERLONG_3 | SURROGATE,
           TOO_SHORT | TOO_LARGE | OVERLONG_4);
  const __m256i first_low =
      BOTH(ANY_LOW | OVERLONG_2 | OVERLONG_3 | OVERLONG_4, ANY_LOW | OVERLONG_2,
           ANY_LOW, ANY_LOW, ANY_LOW | TOO_LARGE, BEYOND, BEYOND, BEYOND, BEYOND,
           BEYOND, BEYOND, BEYOND, BEYOND, BEYOND | SURROGATE, BEYOND, BEYOND);
  const __m256i second_high =
      BOTH(TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT,
           TOO_SHORT, TOO_SHORT,
           TOO_LONG | TWO | OVERLONG_2 | OVERLONG_3 | OVERLONG_4,
           TOO_LONG | TWO | OVERLONG_2 | OVERLONG_3 | TOO_LARGE,
           TOO_LONG | TWO | OVERLONG_2 | SURROGATE | TOO_LARGE,
           TOO_LONG | TWO | OVERLONG_2 | SURROGATE | TOO_LARGE, TOO_SHORT,
           TOO_SHORT, TOO_SHORT, TOO_SHORT);
  /* The last half of before and the first of v, from which what is one, two and
   * three bytes earlier is taken. */
  const __m256i middle = _mm256_permute2x128_si256(before, v, 0x21);
  const __m256i one = _mm256_alignr_epi8(v, middle, 15);
  const __m256i two = _mm256_alignr_epi8(v, middle, 14);
  const __m256i three = _mm256_alignr_epi8(v, middle, 13);
  const __m256i pairs = _mm256_and_si256(
      _mm256_and_si256(
          _mm256_shuffle_epi8(first_high, high_halves(one)),
          _mm256_shuffle_epi8(first_low,
                              _mm256_and_si256(one, _mm256_set1_epi8(15)))),
      _mm256_shuffle_epi8(second_high, high_halves(v)));
  /* The top bit where two bytes earlier is e0 or more, or three earlier f0 or more. */
  const __m256i later =
      _mm256_or_si256(_mm256_subs_epu8(two, _mm256_set1_epi8(0xe0 - 0x80)),
                      _mm256_subs_epu8(three, _mm256_set1_epi8(0xf0 - 0x80)));
  return _mm256_xor_si256(
      _mm256_and_si256(later, _mm256_set1_epi8((char)0x80)), pairs);
}

/* Not zero where a character begins in v that does not end there. */
WIDE static inline __m256i unended(__m256i v) {
  const __m256i most =
      _mm256_setr_epi8(-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
                       -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
                       (char)(0xf0 - 1), (char)(0xe0 - 1), (char)(0xc0 - 1));
  return _mm256_subs_epu8(v, most);
}

/* What becomes of the bytes that are looked at: nothing more; they are copied; or they
 * are copied past the caches, to an address that 16 divides. */
enum fate { LOOKED_AT, COPIED, STREAMED };

WIDE static inline void put(uint8_t *to, __m256i v, enum fate fate) {
  if (fate == COPIED)
    _mm256_storeu_si256((__m256i *)to, v);
  if (fate == STREAMED) {
    _mm_stream_si128((__m128i *)to, _mm256_castsi256_si128(v));
    _mm_stream_si128((__m128i *)(to + 16), _mm256_extracti128_si256(v, 1));
  }
}

/* An address before which all is well-formed, and no character is cut. What is copied may
 * go on after it, but not after end. */
WIDE static inline __attribute__((always_inline)) bytes
wide(bytes p, bytes end, uint8_t *to, enum fate fate) {
  const bytes start = p;
  __m256i before = _mm256_setzero_si256(), open = before;
  for (; end - p >= 128; p += 128) {
    const __m256i *from = (const __m256i *)p;
    const __m256i a = _mm256_loadu_si256(from),
                  b = _mm256_loadu_si256(from + 1),
                  c = _mm256_loadu_si256(from + 2),
                  d = _mm256_loadu_si256(from + 3);
    if (fate != LOOKED_AT) {
      put(to, a, fate);
      put(to + 32, b, fate);
      put(to + 64, c, fate);
      put(to + 96, d, fate);
      to += 128;
    }
    const __m256i all =
        _mm256_or_si256(_mm256_or_si256(a, b), _mm256_or_si256(c, d));
    __m256i wrong;
    if (_mm256_movemask_epi8(all) == 0) {
      wrong = open;
      open = _mm256_setzero_si256();
    } else {
      wrong = _mm256_or_si256(
          _mm256_or_si256(faults(a, before), faults(b, a)),
          _mm256_or_si256(faults(c, b), faults(d, c)));
      open = unended(d);
    }
    if (!_mm256_testz_si256(wrong, wrong))
      break;
    before = d;
  }
  /* Back to the first byte of a character that goes on after p. */
  for (int back = 1; back <= 3 && p - start >= back; back++) {
    const uint8_t b = p[-back];
    if (b >= 0xc0)
      return (b >= 0xf0 ? 4 : b >= 0xe0 ? 3 : 2) > back ? p - back : p;
    if (b < 0x80)
      return p;
  }
  return p;
}

/* Asked for once; who asks at the same time finds the same. */
static int has_avx2(void) {
  static _Atomic int known; /* 1: no, 2: yes */
  int it = atomic_load_explicit(&known, memory_order_relaxed);
  if (it == 0) {
    __builtin_cpu_init();
    it = __builtin_cpu_supports("avx2") ? 2 : 1;
    atomic_store_explicit(&known, it, memory_order_relaxed);
  }
  return it == 2;
}

WIDE static bytes looked_at(bytes p, bytes end) {
  return wide(p, end, 0, LOOKED_AT);
}

WIDE static bytes copied(bytes p, bytes end, uint8_t *to) {
  return wide(p, end, to, COPIED);
}

WIDE static bytes streamed(bytes p, bytes end, uint8_t *to) {
  const bytes q = wide(p, end, to, STREAMED);
  _mm_sfence();
  return q;
}

/* From here on a copy does not fit into the caches, and its memory need not be fetched. */
enum { LARGE = 8 << 20 };

bytes tern_utf8_wide(bytes p, bytes end) {
  return has_avx2() ? looked_at(p, end) : p;
}

bytes tern_utf8_wide_copy(bytes p, bytes end, uint8_t *to) {
  if (!has_avx2())
    return p;
  return end - p >= LARGE && (uintptr_t)to % 16 == 0 ? streamed(p, end, to)
                                                     : copied(p, end, to);
}

#else

bytes tern_utf8_wide(bytes p, bytes end) {
  (void)end;
  return p;
}

bytes tern_utf8_wide_copy(bytes p, bytes end, uint8_t *to) {
  (void)end;
  (void)to;
  return p;
}

#endif
