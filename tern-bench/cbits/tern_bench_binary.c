// The limits of readers of binary formats: what a record's bytes say, as numbers in
// an array, from which Haskell builds the values.
//
// Texts are ASCII, which is seen eight bytes at a time; their first sixteen bytes are
// given as two words, so that a short one is two stores. Nothing is looked for but what is
// expected; at the first surprise, and where there is more than there are places for, the
// reader gives up. Nothing here is shared with the library.
//
// Called unsafely from Haskell: each function takes some tens of nanoseconds. A
// reader stays between its two addresses.
#include "tern_bench_words.h"

// The lowest n bytes of a word, 0 <= n <= 8.
static inline uint64_t low(uint64_t w, uint64_t n) { return n ? w << (64 - 8 * n) >> (64 - 8 * n) : 0; }

// A text of n bytes at p, in four places: where it is, how long, its first sixteen bytes.
static inline const char *take_text(const char *start, const char *p, const char *end, uint64_t n, int64_t *out) {
  uint64_t left = (uint64_t)(end - p), first, second, all;
  if (n > left) return NULL;
  if (left >= 16) {
    first = load8(p);
    second = load8(p + 8);
  } else if (left > 8) {
    first = load8(p);
    second = load8(end - 8) >> 8 * (16 - left);
  } else if (left > 0 && end - start >= 8) {
    first = load8(end - 8) >> 8 * (8 - left);
    second = 0;
  } else {
    first = second = 0;
    for (uint64_t i = 0; i < n; i++) first |= (uint64_t)(unsigned char)p[i] << 8 * i;
  }
  if (n <= 8) all = low(first, n);
  else if (n <= 16) all = first | low(second, n - 8);
  else {
    all = load8(p + n - 8);
    for (uint64_t i = 0; i + 8 <= n; i += 8) all |= load8(p + i);
  }
  if (all & TOPS) return NULL;
  out[0] = p - start;
  out[1] = (int64_t)n;
  out[2] = (int64_t)first;
  out[3] = (int64_t)second;
  return p + n;
}

// --- the native format ------------------------------------------------------------

// As many bytes follow the first as it has ones in front, and each number is as short as
// it can be.
static const char *take_long(const char *p, const char *end, uint64_t *out) {
  unsigned char first = (unsigned char)*p++;
  unsigned follow = first == 255 ? 8 : (unsigned)__builtin_clz(~((unsigned)first << 24));
  if (end - p < (int64_t)follow) return NULL;
  uint64_t u = follow == 8 ? 0 : first & (127u >> follow);
  for (unsigned i = 0; i < follow; i++) u = u << 8 | (unsigned char)*p++;
  *out = u;
  return u >> 7 * follow ? p : NULL;
}

static inline const char *take_word(const char *p, const char *end, uint64_t *out) {
  if (p == end) return NULL;
  if ((unsigned char)*p < 128) return *out = (unsigned char)*p, p + 1;
  if ((unsigned char)*p < 192 && end - p >= 2) {
    *out = (uint64_t)((unsigned char)*p & 63) << 8 | (unsigned char)p[1];
    return *out < 128 ? NULL : p + 2;
  }
  return take_long(p, end, out);
}

static inline const char *take_native_int(const char *p, const char *end, int64_t *out) {
  uint64_t u;
  if ((p = take_word(p, end, &u))) *out = (int64_t)(u >> 1 ^ -(u & 1));
  return p;
}

static inline const char *take_native_text(const char *start, const char *p, const char *end, int64_t *out) {
  uint64_t n;
  return (p = take_word(p, end, &n)) ? take_text(start, p, end, n, out) : NULL;
}

#define TRY(taken) do { if (!(p = (taken))) return 0; } while (0)
#define ROOM(n) do { if (end - p < (n)) return 0; } while (0)

// Where the parts of the article's record are.
enum { CHOICE, CHOSEN, WORD, WHOLE = WORD + 4, LONG, SHORT, POSITIVE, HAS_PERHAPS, PERHAPS, SEVERAL = PERHAPS + 4, FIRST };
enum { MOST_SEVERAL = 20 };

int64_t tern_bench_native_article(const char *start, int64_t size, int64_t *out) {
  const char *p = start, *end = start + size;
  uint64_t n;
  ROOM(1);
  out[CHOICE] = *p++;
  if (out[CHOICE] == 0) TRY(take_native_int(p, end, out + CHOSEN));
  else if (out[CHOICE] == 1) {
    ROOM(4);
    memcpy(out + CHOSEN, p, 4);
    p += 4;
  } else return 0;
  TRY(take_native_text(start, p, end, out + WORD));
  TRY(take_native_int(p, end, out + WHOLE));
  ROOM(12);
  memcpy(out + LONG, p, 8);
  memcpy(out + SHORT, p + 8, 4);
  p += 12;
  TRY(take_word(p, end, (uint64_t *)out + POSITIVE));
  ROOM(1);
  out[HAS_PERHAPS] = *p++;
  if (out[HAS_PERHAPS] == 1) TRY(take_native_text(start, p, end, out + PERHAPS));
  else if (out[HAS_PERHAPS] != 0) return 0;
  TRY(take_word(p, end, &n));
  if (n > MOST_SEVERAL) return 0;
  out[SEVERAL] = (int64_t)n;
  for (uint64_t i = 0; i < n; i++) TRY(take_native_text(start, p, end, out + FIRST + 4 * i));
  return p == end;
}

// Where the parts of an entry are.
enum { NUMBER, NAME, SCORE = NAME + 4, HAS_NICK, NICK, FIGURE = NICK + 4, SIDE, OTHER_SIDE, ACTIVE, TAGS, COUNTS, POINTS, TAG,
  MOST_TAGS = 16, COUNT = TAG + 4 * MOST_TAGS, MOST_INTS = 32, POINT = COUNT + MOST_INTS };

static const char *take_ints(const char *p, const char *end, int64_t *count, int64_t *out) {
  uint64_t n;
  if (!(p = take_word(p, end, &n)) || n > MOST_INTS) return NULL;
  *count = (int64_t)n;
  for (uint64_t i = 0; i < n; i++)
    if (!(p = take_native_int(p, end, out + i))) return NULL;
  return p;
}

// One of many, at p; gives how far it went, or 0.
int64_t tern_bench_native_entry(const char *start, const char *from, const char *end, int64_t *out) {
  const char *p = from;
  uint64_t n;
  TRY(take_native_int(p, end, out + NUMBER));
  TRY(take_native_text(start, p, end, out + NAME));
  ROOM(9);
  memcpy(out + SCORE, p, 8);
  p += 8;
  out[HAS_NICK] = *p++;
  if (out[HAS_NICK] == 1) TRY(take_native_text(start, p, end, out + NICK));
  else if (out[HAS_NICK] != 0) return 0;
  TRY(take_word(p, end, &n));
  if (n > MOST_TAGS) return 0;
  out[TAGS] = (int64_t)n;
  for (uint64_t i = 0; i < n; i++) TRY(take_native_text(start, p, end, out + TAG + 4 * i));
  ROOM(1);
  out[FIGURE] = *p++;
  switch (out[FIGURE]) {
    case 0:
      ROOM(8);
      memcpy(out + SIDE, p, 8);
      p += 8;
      break;
    case 1:
      ROOM(16);
      memcpy(out + SIDE, p, 16);
      p += 16;
      break;
    case 2: TRY(take_ints(p, end, out + POINTS, out + POINT)); break;
    case 3: break;
    default: return 0;
  }
  ROOM(1);
  out[ACTIVE] = *p++;
  if (out[ACTIVE] != 0 && out[ACTIVE] != 1) return 0;
  TRY(take_ints(p, end, out + COUNTS, out + COUNT));
  return p - from;
}

// The number of a chunk's elements, at p; gives how far it went, or 0.
int64_t tern_bench_native_count(const char *from, const char *end, int64_t *out) {
  const char *p = from;
  TRY(take_word(p, end, (uint64_t *)out));
  return p - from;
}

// --- MessagePack --------------------------------------------------------------------

static inline uint64_t wide(const char *p, unsigned n) {
  uint64_t u = 0;
  for (unsigned i = 0; i < n; i++) u = u << 8 | (unsigned char)p[i];
  return u;
}

static const char *take_packed_long(const char *p, const char *end, int64_t *out) {
  unsigned char first = (unsigned char)*p++;
  unsigned n;
  switch (first) {
    case 0xcc: n = 1; break;
    case 0xcd: n = 2; break;
    case 0xce: n = 4; break;
    case 0xcf: case 0xd3: n = 8; break;
    default: return NULL;
  }
  if (end - p < (int64_t)n) return NULL;
  *out = (int64_t)wide(p, n);
  return first == 0xcf && *out < 0 ? NULL : p + n;
}

static inline const char *take_packed_int(const char *p, const char *end, int64_t *out) {
  if (p == end) return NULL;
  if ((unsigned char)*p < 128 || (unsigned char)*p >= 0xe0) return *out = (signed char)*p, p + 1;
  return take_packed_long(p, end, out);
}

static inline const char *take_packed_text(const char *start, const char *p, const char *end, int64_t *out) {
  if (p == end) return NULL;
  unsigned char first = (unsigned char)*p++;
  if ((first & 0xe0) == 0xa0) return take_text(start, p, end, first & 31, out);
  if (first != 0xdb || end - p < 4) return NULL;
  return take_text(start, p + 4, end, wide(p, 4), out);
}

static inline uint64_t swapped8(const char *p) { return __builtin_bswap64(load8(p)); }

#define STARTS(constant) (end - p >= (int64_t)sizeof(constant) - 1 && !memcmp(p, constant, sizeof(constant) - 1))

// Its fields as an array, the choice as a map of one key.
int64_t tern_bench_packed_article(const char *start, int64_t size, int64_t *out) {
  const char *p = start, *end = start + size;
  if (STARTS("\x98\x81\xa5Whole")) {
    out[CHOICE] = 0;
    TRY(take_packed_int(p + 8, end, out + CHOSEN));
  } else if (STARTS("\x98\x81\xa5Short\xca")) {
    out[CHOICE] = 1;
    p += 9;
    ROOM(4);
    out[CHOSEN] = (int64_t)wide(p, 4);
    p += 4;
  } else return 0;
  TRY(take_packed_text(start, p, end, out + WORD));
  TRY(take_packed_int(p, end, out + WHOLE));
  ROOM(14);
  if (p[0] != '\xcb' || p[9] != '\xca') return 0;
  out[LONG] = (int64_t)swapped8(p + 1);
  out[SHORT] = (int64_t)wide(p + 10, 4);
  p += 14;
  TRY(take_packed_int(p, end, out + POSITIVE));
  ROOM(1);
  out[HAS_PERHAPS] = *p != '\xc0';
  if (out[HAS_PERHAPS]) TRY(take_packed_text(start, p, end, out + PERHAPS));
  else p++;
  ROOM(1);
  if ((*p & 0xf0) != 0x90) return 0;
  out[SEVERAL] = *p++ & 15;
  for (int64_t i = 0; i < out[SEVERAL]; i++) TRY(take_packed_text(start, p, end, out + FIRST + 4 * i));
  return p == end;
}
