/* Integers of a machine word, and what floating-point numbers become, as decimal digits,
 * eight at a time.
 *
 * How many digits a number has differs from one to the next in most data, and a
 * branch on it that the processor foretells wrongly costs as much as writing the
 * number. So there is one for each eight digits, and none within them: the digits
 * of a number below 10^8 stand side by side in one word, which is moved by the
 * zeros before them. ("SIMD within a register"; the factors divide exactly in the
 * ranges that are said.)
 *
 * Called from Tern.Prim.Decimal by unsafe foreign calls: nothing here allocates,
 * keeps state or calls back. Writers write at most 20 bytes from p (tern_put_decimal
 * 28), which is what the caller has to have room for, and say where the number ends.
 * The reader looks at [p, end) alone.
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

/* Of the sixteen digits of low and high, how many zeros are before the first that is
 * none, and after the last. Of nothing but zeros all are after the last. */
static inline unsigned zeros_before(uint64_t low, uint64_t high) {
  return (unsigned)(low ? __builtin_ctzll(low) : 64 + __builtin_ctzll(high)) / 8;
}

static inline unsigned zeros_after(uint64_t low, uint64_t high) {
  return (unsigned)(high  ? __builtin_clzll(high)
                    : low ? 64 + __builtin_clzll(low)
                          : 128) /
         8;
}

/* Eight digits with a point before the one at `place`, 0 to 7; the last has no room. */
static inline uint64_t pointed(uint64_t w, unsigned place) {
  uint64_t before = (UINT64_C(1) << 8 * place) - 1;
  return (w & before) | (uint64_t)'.' << 8 * place | (w & ~before) << 8;
}

/* Sixteen, with a point before the one at `place`, 0 to 15. */
static inline void put_pointed(uint8_t *p, uint64_t low, uint64_t high, unsigned place) {
  if (place < 8) {
    store64(p, pointed(low, place));
    store64(p + 8, low >> 56 | high << 8);
  } else {
    store64(p, low);
    store64(p + 8, pointed(high, place - 8));
  }
  p[16] = (uint8_t)(high >> 56);
}

/* d * 10^k, 0 < d < 10^17, without zeros at the end: plainly with a point where it is
 * 10^-5 and more and below 10^16, else with an exponent.
 *
 * All is put together in a register and written once. Digits that are written and then
 * read to be moved by a place cost as much as making them: the processor cannot give a
 * load what two stores hold. */
uint8_t *tern_put_decimal(uint8_t *p, uint64_t d, int64_t k) {
  uint64_t head = d / (EIGHT * EIGHT), rest = d % (EIGHT * EIGHT);
  unsigned more = head != 0;
  uint64_t low = digits(rest / EIGHT), high = digits(rest % EIGHT);
  unsigned before = more ? 0 : zeros_before(low, high), after = zeros_after(low, high);
  int64_t all = more + 16 - before, n = all - after;
  /* The number is 0.DIGITS * 10^point. */
  int64_t point = all + k;
  if (before >= 8) {
    low = high;
    high = 0;
    before -= 8;
  }
  if (before > 0) {
    low = low >> 8 * before | high << (64 - 8 * before);
    high >>= 8 * before;
  }
  low |= ZEROS;
  high |= ZEROS;
  *p = (uint8_t)('0' + head);
  if (0 < point && point <= 16) {
    if (n <= point) {
      store64(p + more, low);
      store64(p + more + 8, high);
      memcpy(p + point, ".0", 2);
      return p + point + 2;
    }
    put_pointed(p + more, low, high, (unsigned)point - more);
    return p + n + 1;
  }
  if (-5 < point && point <= 0) {
    memcpy(p, "0.000000", 8);
    p += 2 - point;
    *p = (uint8_t)('0' + head);
    store64(p + more, low);
    store64(p + more + 8, high);
    return p + n;
  }
  put_pointed(p + more, low, high, 1 - more);
  p += n > 1 ? n + 1 : 1;
  *p = 'e';
  return tern_put_int(p + 1, point - 1);
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
