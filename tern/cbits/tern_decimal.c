/* Integers of a machine word as decimal digits, eight at a time.
 *
 * How many digits a number has differs from one to the next in most data, and a
 * branch on it that the processor foretells wrongly costs as much as writing the
 * number. So there is one for each eight digits, and none within them: the digits
 * of a number below 10^8 stand side by side in one word, which is moved by the
 * zeros before them. ("SIMD within a register"; the factors divide exactly in the
 * ranges that are said.)
 *
 * Called from Tern.Prim.Decimal by unsafe foreign calls: nothing here allocates,
 * keeps state or calls back. Writers write at most 20 bytes from p, which is what
 * the caller has to have room for, and say where the number ends. The reader looks
 * at [p, end) alone.
 */
#include <stdint.h>
#include <string.h>

#define ZEROS UINT64_C(0x3030303030303030)
#define TOPS UINT64_C(0x8080808080808080)
#define EIGHT UINT64_C(100000000)

static inline uint64_t load64(const uint8_t *p) {
  uint64_t w;
  memcpy(&w, p, 8);
  return w;
}

static inline void store64(uint8_t *p, uint64_t w) { memcpy(p, &w, 8); }

/* The eight digits of u < 10^8, the first in the lowest byte: two halves of four
 * digits (below 10^4: 10486 / 2^20 is 1 / 100), four pairs of two (below 100: 103 /
 * 2^10 is 1 / 10), eight digits. */
static inline uint64_t digits(uint64_t u) {
  uint64_t halves = u / 10000 | u % 10000 << 32;
  uint64_t hundreds = (halves * 10486 >> 20) & UINT64_C(0x0000007f0000007f);
  uint64_t pairs = hundreds | (halves - 100 * hundreds) << 16;
  uint64_t tens = (pairs * 103 >> 10) & UINT64_C(0x000f000f000f000f);
  return tens | (pairs - 10 * tens) << 8;
}

/* All eight digits of u < 10^8. */
static inline uint8_t *put_eight(uint8_t *p, uint64_t u) {
  store64(p, digits(u) | ZEROS);
  return p + 8;
}

/* The digits of u < 10^8 without zeros before them, at least one. */
static inline uint8_t *put_short(uint8_t *p, uint64_t u) {
  uint64_t d = digits(u);
  unsigned zeros = (unsigned)__builtin_ctzll(d | UINT64_C(1) << 56) / 8;
  store64(p, (d | ZEROS) >> 8 * zeros);
  return p + 8 - zeros;
}

/* 20 digits and a sign are never together: the most negative integer has 19. */
static inline uint8_t *put_word(uint8_t *p, uint64_t u) {
  if (u < EIGHT)
    return put_short(p, u);
  if (u < EIGHT * EIGHT)
    return put_eight(put_short(p, u / EIGHT), u % EIGHT);
  uint64_t high = u / (EIGHT * EIGHT), low = u % (EIGHT * EIGHT);
  return put_eight(put_eight(put_short(p, high), low / EIGHT), low % EIGHT);
}

uint8_t *tern_put_word(uint8_t *p, uint64_t u) { return put_word(p, u); }

uint8_t *tern_put_int(uint8_t *p, int64_t v) {
  *p = '-';
  return put_word(p + (v < 0), v < 0 ? -(uint64_t)v : (uint64_t)v);
}

/* All sixteen digits of u < 10^16. */
uint8_t *tern_put_sixteen(uint8_t *p, uint64_t u) {
  return put_eight(put_eight(p, u / EIGHT), u % EIGHT);
}

/* How many of the eight bytes of w are digits before the first that is none; in
 * *values, what each of them is worth. */
static inline unsigned digits_in(uint64_t w, uint64_t *values) {
  uint64_t t = w ^ ZEROS;
  uint64_t others = (t | (t + UINT64_C(0x7676767676767676))) & TOPS;
  *values = t;
  return others ? (unsigned)__builtin_ctzll(others) / 8 : 8;
}

/* The number that the first n digits are, n <= 8: they are moved to the end, where
 * zeros come before them, then added up by pairs, by fours and by eights. */
static inline uint64_t value_of(uint64_t values, unsigned n) {
  uint64_t t = n ? values << 8 * (8 - n) : 0;
  t = t * 10 + (t >> 8);
  return ((t & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x000f424000000064) +
          ((t >> 16) & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x0000271000000001)) >>
         32;
}

static const uint64_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};

/* A plain integer at p < end: 32 times its value, and how many bytes it has; or 0
 * where it is anything else, or has more than 15 digits, or stands within the last
 * 16 bytes of the input. Then somebody has to look again. (An integer has a byte
 * at least, so that 0 is never the answer for one.)
 *
 * A carry out of a byte that is no digit can make the byte after it look like one
 * or not; only bytes before the first that is none count. */
int64_t tern_take_int(const uint8_t *end, const uint8_t *p) {
  uint64_t minus = *p == '-', values, w, u;
  const uint8_t *first = p + minus;
  if (end - first < 16)
    return 0;
  w = load64(first);
  unsigned n = digits_in(w, &values);
  if (n == 0 || (n > 1 && (values & 0xff) == 0))
    return 0;
  u = value_of(values, n);
  unsigned more = n;
  if (n == 8) {
    w = load64(first + 8);
    more = digits_in(w, &values);
    if (more == 8)
      return 0;
    u = u * powers[more] + value_of(values, more);
    n += more;
  }
  /* The byte after the last digit: with a point or an exponent it is another kind
   * of number. */
  uint8_t next = (uint8_t)(w >> 8 * more);
  if (next == '.' || (next | 0x20) == 'e')
    return 0;
  return (int64_t)(((u ^ -minus) + minus) * 32 + n + minus);
}
