// The limits of the JSON benchmarks: what somebody would write for these records
// alone who knows the processor.
//
// Numbers are written and read eight digits at a time, without a branch on how many
// there are: in records that differ such a branch is foretold wrongly every time. For one
// record, which the processor knows by heart, there is a writer that does branch.
// Keys are constants, copied and compared as a whole. Nothing is looked for but what
// is expected; at the first surprise the reader gives up. Nothing here is shared with
// the library.
//
// Called unsafely from Haskell: each function takes some hundreds of nanoseconds.
// A reader stays between its two addresses. A writer needs room for what it writes
// and 8 bytes more: 32 for each number with its key.
#include "tern_bench_words.h"

#define ZEROS UINT64_C(0x3030303030303030)
#define EIGHT_DIGITS UINT64_C(100000000)

// The eight digits of a number below 10^8, the first in the lowest byte: halves,
// pairs, digits. The factors divide by 100 and by 10 exactly in these ranges.
static inline uint64_t digits(uint64_t u) {
  uint64_t halves = u / 10000 | u % 10000 << 32;
  uint64_t hundreds = (halves * 10486 >> 20) & UINT64_C(0x0000007f0000007f);
  uint64_t pairs = hundreds | (halves - 100 * hundreds) << 16;
  uint64_t tens = (pairs * 103 >> 10) & UINT64_C(0x000f000f000f000f);
  return tens | (pairs - 10 * tens) << 8;
}

// At most eight digits, without zeros before them.
static inline char *put_short(char *p, uint64_t u) {
  uint64_t d = digits(u);
  unsigned zeros = (unsigned)__builtin_ctzll(d | UINT64_C(1) << 56) / 8;
  store8(p, (d | ZEROS) >> 8 * zeros);
  return p + 8 - zeros;
}

static inline char *put_eight(char *p, uint64_t u) {
  store8(p, digits(u) | ZEROS);
  return p + 8;
}

static inline char *put_int(char *p, int64_t v) {
  uint64_t u = v < 0 ? -(uint64_t)v : (uint64_t)v;
  *p = '-';
  p += v < 0;
  if (u < EIGHT_DIGITS) return put_short(p, u);
  if (u < EIGHT_DIGITS * EIGHT_DIGITS) return put_eight(put_short(p, u / EIGHT_DIGITS), u % EIGHT_DIGITS);
  uint64_t high = u / (EIGHT_DIGITS * EIGHT_DIGITS), low = u % (EIGHT_DIGITS * EIGHT_DIGITS);
  return put_eight(put_eight(put_short(p, high), low / EIGHT_DIGITS), low % EIGHT_DIGITS);
}

// The same by branches on how many digits there are, which cost nothing where they are
// foretold.
static const char hundred[] =
  "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
  "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
  "8081828384858687888990919293949596979899";

static inline void put_pair(char *p, uint32_t u) { memcpy(p, hundred + 2 * u, 2); }

static inline void put_four(char *p, uint32_t u) {
  put_pair(p, u / 100);
  put_pair(p + 2, u % 100);
}

static inline char *put_foretold_short(char *p, uint32_t u) { // below 10^8
  if (u < 100) {
    if (u < 10) return *p = (char)('0' + u), p + 1;
    return put_pair(p, u), p + 2;
  }
  if (u < 10000) {
    if (u < 1000) return *p = (char)('0' + u / 100), put_pair(p + 1, u % 100), p + 3;
    return put_four(p, u), p + 4;
  }
  if (u < 1000000) {
    if (u < 100000) return *p = (char)('0' + u / 10000), put_four(p + 1, u % 10000), p + 5;
    return put_pair(p, u / 10000), put_four(p + 2, u % 10000), p + 6;
  }
  if (u < 10000000)
    return *p = (char)('0' + u / 1000000), put_pair(p + 1, u / 10000 % 100), put_four(p + 3, u % 10000), p + 7;
  return put_four(p, u / 10000), put_four(p + 4, u % 10000), p + 8;
}

// Not inlined: a hundred copies do not fit into the processor's nearest memory.
__attribute__((noinline)) static char *put_foretold(char *p, int64_t v) {
  uint64_t u = (uint64_t)v;
  if (v < 0) *p++ = '-', u = -u;
  if (u < EIGHT_DIGITS) return put_foretold_short(p, (uint32_t)u);
  if (u < EIGHT_DIGITS * EIGHT_DIGITS) return put_eight(put_foretold_short(p, (uint32_t)(u / EIGHT_DIGITS)), u % EIGHT_DIGITS);
  return put_int(p, (int64_t)u);
}

// How many of eight bytes are digits before the first that is not; eight if all are.
// In *parts each digit is its value.
static inline unsigned digits_in(uint64_t w, uint64_t *parts) {
  uint64_t t = w ^ ZEROS;
  uint64_t others = (t | (t + UINT64_C(0x7676767676767676))) & TOPS;
  *parts = t;
  return others ? (unsigned)__builtin_ctzll(others) / 8 : 8;
}

// The number that n digits are, 1 <= n <= 8: moved to the end, then added up by
// pairs, by fours, by eights.
static inline uint64_t value_of(uint64_t parts, unsigned n) {
  uint64_t t = parts << 8 * (8 - n);
  t = t * 10 + (t >> 8);
  return ((t & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x000f424000000064) +
          ((t >> 16) & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x0000271000000001)) >> 32;
}

static const uint64_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

// One byte after the other: at the end of the input, where eight are not there.
static const char *take_slowly(const char *p, const char *end, uint64_t *out) {
  uint64_t u = 0;
  const char *start = p;
  for (; p < end && (unsigned char)(*p - '0') < 10 && p - start < 19; p++) u = 10 * u + (uint64_t)(*p - '0');
  *out = u;
  return p == start || (p - start > 1 && *start == '0') || p - start > 18 ? NULL : p;
}

// Digits, at most 16 where there is room to read eight at a time.
static inline const char *take_digits(const char *p, const char *end, uint64_t *out) {
  if (end - p < 16) return take_slowly(p, end, out);
  uint64_t parts;
  unsigned n = digits_in(load8(p), &parts);
  if (n == 0 || (n > 1 && (parts & 0xff) == 0)) return NULL;
  *out = value_of(parts, n);
  p += n;
  if (__builtin_expect(n < 8, 1)) return p;
  unsigned more = digits_in(load8(p), &parts);
  if (more == 0) return p;
  if (more == 8) return NULL;
  *out = *out * powers[more] + value_of(parts, more);
  return p + more;
}

static inline const char *take_int(const char *p, const char *end, int64_t *out) {
  uint64_t u = 0, negative = p < end && *p == '-';
  p = take_digits(p + negative, end, &u);
  *out = (int64_t)((u ^ -negative) + negative);
  return p;
}

// The fields of the records, each with what stands before its key.
#define FIELDS5(X) X("{", 01) X(",", 02) X(",", 03) X(",", 04) X(",", 05)
#define FIELDS25(X) \
  FIELDS5(X) X(",", 06) X(",", 07) X(",", 08) X(",", 09) X(",", 10) X(",", 11) X(",", 12) X(",", 13) X(",", 14) X(",", 15) \
  X(",", 16) X(",", 17) X(",", 18) X(",", 19) X(",", 20) X(",", 21) X(",", 22) X(",", 23) X(",", 24) X(",", 25)
#define FIELDS100(X) \
  FIELDS25(X) X(",", 26) X(",", 27) X(",", 28) X(",", 29) X(",", 30) X(",", 31) X(",", 32) X(",", 33) X(",", 34) X(",", 35) \
  X(",", 36) X(",", 37) X(",", 38) X(",", 39) X(",", 40) X(",", 41) X(",", 42) X(",", 43) X(",", 44) X(",", 45) X(",", 46) \
  X(",", 47) X(",", 48) X(",", 49) X(",", 50) X(",", 51) X(",", 52) X(",", 53) X(",", 54) X(",", 55) X(",", 56) X(",", 57) \
  X(",", 58) X(",", 59) X(",", 60) X(",", 61) X(",", 62) X(",", 63) X(",", 64) X(",", 65) X(",", 66) X(",", 67) X(",", 68) \
  X(",", 69) X(",", 70) X(",", 71) X(",", 72) X(",", 73) X(",", 74) X(",", 75) X(",", 76) X(",", 77) X(",", 78) X(",", 79) \
  X(",", 80) X(",", 81) X(",", 82) X(",", 83) X(",", 84) X(",", 85) X(",", 86) X(",", 87) X(",", 88) X(",", 89) X(",", 90) \
  X(",", 91) X(",", 92) X(",", 93) X(",", 94) X(",", 95) X(",", 96) X(",", 97) X(",", 98) X(",", 99) X(",", 100)

#define COPY(constant) (memcpy(p, constant, sizeof(constant) - 1), p += sizeof(constant) - 1)
#define EXPECT(constant) \
  do { \
    if (end - p < (int64_t)sizeof(constant) - 1 || memcmp(p, constant, sizeof(constant) - 1)) return 0; \
    p += sizeof(constant) - 1; \
  } while (0)

#define KEY(before, number) before "\"field" #number "\":"
#define PUT_FIELD(before, number) COPY(KEY(before, number)); p = put_int(p, *x++);
#define PUT_FORETOLD(before, number) COPY(KEY(before, number)); p = put_foretold(p, *x++);
#define TAKE_FIELD(before, number) EXPECT(KEY(before, number)); if (!(p = take_int(p, end, out++))) return 0;

// To where is written, and the numbers beside each other; gives where it ended.
#define ENCODER(name, FIELDS, PUT) \
  char *name(char *p, const int64_t *x) { \
    FIELDS(PUT) \
    *p++ = '}'; \
    return p; \
  }

// The n bytes at p into the array of numbers out; whether they are such a record.
#define DECODER(name, FIELDS) \
  int64_t name(const char *p, int64_t n, int64_t *out) { \
    const char *end = p + n; \
    FIELDS(TAKE_FIELD) \
    return end - p == 1 && *p == '}'; \
  }

ENCODER(tern_bench_encode_5, FIELDS5, PUT_FIELD)
ENCODER(tern_bench_encode_25, FIELDS25, PUT_FIELD)
ENCODER(tern_bench_encode_100, FIELDS100, PUT_FIELD)
ENCODER(tern_bench_encode_foretold_5, FIELDS5, PUT_FORETOLD)
ENCODER(tern_bench_encode_foretold_25, FIELDS25, PUT_FORETOLD)
ENCODER(tern_bench_encode_foretold_100, FIELDS100, PUT_FORETOLD)
DECODER(tern_bench_decode_5, FIELDS5)
DECODER(tern_bench_decode_25, FIELDS25)
DECODER(tern_bench_decode_100, FIELDS100)

static const char *after_string(const char *p, const char *end) {
  const char *quote = memchr(p, '"', (size_t)(end - p));
  return quote ? quote + 1 : NULL;
}

// The 25 fields in any order, unknown ones with strings or numbers between them. A
// name's digits are its place.
int64_t tern_bench_decode_25_any_order(const char *p, int64_t n, int64_t *out) {
  const char *end = p + n;
  uint32_t seen = 0;
  char before = '{';
  do {
    if (end - p < 2 || *p != before || p[1] != '"') return 0;
    p += 2;
    before = ',';
    unsigned place = 25;
    if (end - p >= 9 && !memcmp(p, "field", 5) && p[7] == '"' && p[8] == ':')
      place = (unsigned)(p[5] - '0') * 10 + (unsigned)(p[6] - '0') - 1;
    if (place < 25) {
      if (!(p = take_int(p + 9, end, out + place))) return 0;
      seen |= UINT32_C(1) << place;
    } else {
      if (!(p = after_string(p, end)) || end - p < 2 || *p++ != ':') return 0;
      if (*p == '"') {
        if (!(p = after_string(p + 1, end))) return 0;
      } else {
        while (p < end && *p != ',' && *p != '}') p++;
      }
    }
    if (p == end) return 0;
  } while (*p != '}');
  return end - p == 1 && seen == (UINT32_C(1) << 25) - 1;
}

// --- the record of different fields ------------------------------------------------

// Whether none of eight bytes is a quote, a backslash, a control character, or not
// ASCII.
static inline int plain8(uint64_t w) {
  uint64_t quote = w ^ UINT64_C(0x2222222222222222), backslash = w ^ UINT64_C(0x5c5c5c5c5c5c5c5c);
  uint64_t ones = UINT64_C(0x0101010101010101);
  return ((w | (w - UINT64_C(0x2020202020202020)) | (quote - ones) | (backslash - ones)) & TOPS) == 0;
}

static inline int plain1(unsigned char c) { return c >= 0x20 && c < 0x80 && c != '"' && c != '\\'; }

// How many bytes are plain, of n.
static inline int64_t plain(const char *p, int64_t n) {
  int64_t i = 0;
  while (i + 8 <= n && plain8(load8(p + i))) i += 8;
  while (i < n && plain1((unsigned char)p[i])) i++;
  return i;
}

// A number of at most ten decimals and fifteen digits, not negative: what it is times
// 10^10 is a whole number, which divided again gives it. Fifteen digits are never
// ambiguous, so without zeros at the end they are the shortest. NULL for any other.
static char *put_fraction(char *p, double x) {
  const double scale = 1e10;
  double scaled = x * scale;
  if (!(scaled >= 0 && scaled < 1e15)) return NULL;
  uint64_t whole = (uint64_t)(scaled + 0.5);
  if ((double)whole / scale != x) return NULL;
  p = put_short(p, whole / UINT64_C(10000000000));
  uint64_t rest = whole % UINT64_C(10000000000);
  *p++ = '.';
  put_eight(p, rest / 100);
  p[8] = (char)('0' + rest % 100 / 10);
  p[9] = (char)('0' + rest % 10);
  int last = 9;
  while (last > 0 && p[last] == '0') last--;
  return p + last + 1;
}

// NULL where a field is not what was expected. Needs room for 160 bytes and the text.
char *tern_bench_encode_mixed(char *p, int64_t count, const char *text, int64_t from, int64_t length, int64_t active, double ratio, int64_t limited, int64_t limit) {
  COPY("{\"count\":");
  p = put_int(p, count);
  COPY(",\"name\":\"");
  if (plain(text + from, length) != length) return NULL;
  memcpy(p, text + from, (size_t)length);
  p += length;
  if (active) COPY("\",\"active\":true,\"ratio\":");
  else COPY("\",\"active\":false,\"ratio\":");
  if (!(p = put_fraction(p, ratio))) return NULL;
  if (limited) {
    COPY(",\"limit\":");
    p = put_int(p, limit);
  } else COPY(",\"limit\":null");
  *p++ = '}';
  return p;
}

static const double tens[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};

// Digits, a point and digits, fifteen at most: then one division is exact (Clinger,
// 1990).
static const char *take_fraction(const char *p, const char *end, double *out) {
  const char *start = p;
  uint64_t whole, part;
  if (!(p = take_digits(p, end, &whole)) || end - p < 9 || *p != '.') return NULL;
  const char *point = p++;
  unsigned n = digits_in(load8(p), &part);
  if (n == 0) return NULL;
  uint64_t u = whole * powers[n] + value_of(part, n);
  p += n;
  if (n == 8) {
    if (end - p < 8) return NULL;
    unsigned more = digits_in(load8(p), &part);
    if (more == 8) return NULL;
    if (more) u = u * powers[more] + value_of(part, more);
    p += more;
  }
  if (p - start > 16) return NULL;
  *out = (double)u / tens[p - point - 1];
  return p;
}

// Into eight words: count, where the text begins in the input, how long it is, active,
// ratio, whether there is a limit, limit.
int64_t tern_bench_decode_mixed(const char *start, int64_t n, int64_t *out) {
  const char *p = start, *end = p + n;
  double ratio;
  EXPECT("{\"count\":");
  if (!(p = take_int(p, end, out))) return 0;
  EXPECT(",\"name\":\"");
  out[1] = p - start;
  out[2] = plain(p, end - p);
  p += out[2];
  EXPECT("\",\"active\":");
  if (end - p < 5) return 0;
  out[3] = *p == 't';
  if (out[3]) EXPECT("true");
  else EXPECT("false");
  EXPECT(",\"ratio\":");
  if (!(p = take_fraction(p, end, &ratio))) return 0;
  memcpy(out + 4, &ratio, 8);
  EXPECT(",\"limit\":");
  out[5] = end - p < 4 || *p != 'n';
  if (out[5]) {
    if (!(p = take_int(p, end, out + 6))) return 0;
  } else EXPECT("null");
  return end - p == 1 && *p == '}';
}
