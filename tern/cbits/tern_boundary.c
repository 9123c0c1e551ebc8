/* Where one value of a stream ends, found without building it.
 *
 * Called from Tern.Prim.Boundary by unsafe foreign calls: nothing here
 * allocates or calls back. The bytes of a value come in pieces of any size;
 * what is known of those that have been looked at is a struct boundary, so that
 * each byte is looked at once. Only what decides about the end is looked at:
 * lines, or quotes and brackets, or headers. Whether the value is well-formed
 * is for its reader to say.
 *
 * A value in Haskell may be used again, a state that is written to may not.
 * So whoever goes on from a state says how many bytes it has looked at, and
 * gets it only if that is still so; one that somebody else has moved on is
 * stale, and the caller begins afresh with the bytes that it has kept. To take
 * the state, to look and to give it back is one call, in which no Haskell
 * thread can be stopped.
 */
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

typedef const uint8_t *bytes;

struct boundary {
  _Atomic uint64_t at; /* bytes of the value looked at, or TAKEN */
  uint64_t level;      /* how many frames are open */
  uint64_t mode;       /* JSON: enum mode; the binary formats: bytes in head */
  uint64_t want;       /* theirs: values wanted on the level at hand */
  uint64_t wanted;     /* theirs: values and breaks wanted on all levels */
  uint64_t body;       /* theirs: bytes of a body still to come */
  uint8_t head[16];    /* theirs: a header that was cut off */
  uint64_t levels[];   /* JSON: a bit each, 1 for an object; theirs: wants */
};

#define TAKEN UINT64_MAX

enum verdict {
  FOUND = 0,   /* the value ends at the place */
  SHORT = 1,   /* it does not end in these */
  WRONG = 2,   /* the byte there cannot stand there */
  DEEP = 3,    /* more levels than allowed */
  LONG = 4,    /* it claims more than so long a value can hold */
  STALE = 5,   /* somebody else has gone on from here */
  CRAMPED = 6  /* no room for a further level */
};

enum mode { BEGIN = 0, INSIDE, STRING, ESCAPE, SCALAR };

static int take(struct boundary *b, uint64_t at) {
  uint64_t expected = at;
  return atomic_compare_exchange_strong(&b->at, &expected, TAKEN);
}

/* A verdict, and how many of the value's bytes are before its place. */
static uint64_t verdict(struct boundary *b, enum verdict v, uint64_t place) {
  if (v == SHORT)
    atomic_store(&b->at, place);
  return place << 3 | v;
}

/* --- lines ------------------------------------------------------------------
 * The end is before the line feed. */
uint64_t tern_boundary_line(struct boundary *b, uint64_t at, bytes base,
                            size_t off, size_t n) {
  if (!take(b, at))
    return STALE;
  bytes p = base + off;
  bytes q = n ? memchr(p, '\n', n) : NULL;
  return q ? verdict(b, FOUND, at + (uint64_t)(q - p))
           : verdict(b, SHORT, at + n);
}

/* --- JSON ------------------------------------------------------------------- */

/* Bytes that end a number or a literal. */
static const uint8_t delimiter[256] = {
    ['\t'] = 1, ['\n'] = 1, ['\r'] = 1, [' '] = 1, ['"'] = 1, [','] = 1,
    [':'] = 1,  ['['] = 1,  [']'] = 1,  ['{'] = 1, ['}'] = 1};

int tern_is_delimiter(uint64_t b) { return delimiter[b & 255]; }

/* The first quote or bracket in [p, end), or end. */
static inline bytes next_structural(bytes p, bytes end) {
#if defined(__SSE2__)
  const __m128i quote = _mm_set1_epi8('"'), bit = _mm_set1_epi8(0x20);
  const __m128i open = _mm_set1_epi8('{'), close = _mm_set1_epi8('}');
  while (end - p >= 16) {
    __m128i v = _mm_loadu_si128((const __m128i *)p);
    /* The brackets are the braces without one bit. */
    __m128i w = _mm_or_si128(v, bit);
    unsigned mask = (unsigned)_mm_movemask_epi8(
        _mm_or_si128(_mm_cmpeq_epi8(v, quote),
                     _mm_or_si128(_mm_cmpeq_epi8(w, open),
                                  _mm_cmpeq_epi8(w, close))));
    if (mask)
      return p + __builtin_ctz(mask);
    p += 16;
  }
#endif
  while (p < end && *p != '"' && (*p | 0x20) != '{' && (*p | 0x20) != '}')
    p++;
  return p;
}

/* The first quote or backslash in [p, end), or end. */
static inline bytes next_in_string(bytes p, bytes end) {
#if defined(__SSE2__)
  const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\');
  while (end - p >= 16) {
    __m128i v = _mm_loadu_si128((const __m128i *)p);
    unsigned mask = (unsigned)_mm_movemask_epi8(
        _mm_or_si128(_mm_cmpeq_epi8(v, quote), _mm_cmpeq_epi8(v, backslash)));
    if (mask)
      return p + __builtin_ctz(mask);
    p += 16;
  }
#endif
  while (p < end && *p != '"' && *p != '\\')
    p++;
  return p;
}

#if defined(__SSE2__)
/* A bit for each of the 64 bytes at p: quotes, backslashes, brackets. */
static inline void marks(bytes p, uint64_t *quotes, uint64_t *backslashes,
                         uint64_t *brackets) {
  const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\');
  const __m128i bit = _mm_set1_epi8(0x20);
  const __m128i open = _mm_set1_epi8('{'), close = _mm_set1_epi8('}');
  *quotes = *backslashes = *brackets = 0;
  for (int i = 0; i < 4; i++) {
    __m128i v = _mm_loadu_si128((const __m128i *)(p + 16 * i));
    __m128i w = _mm_or_si128(v, bit);
    __m128i b = _mm_or_si128(_mm_cmpeq_epi8(w, open), _mm_cmpeq_epi8(w, close));
    *quotes |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, quote))
               << (16 * i);
    *backslashes |=
        (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, backslash))
        << (16 * i);
    *brackets |= (uint64_t)(unsigned)_mm_movemask_epi8(b) << (16 * i);
  }
}

/* Bit i of the result is the sum of the bits up to i: set from an opening quote
 * to before its closing one. */
static inline uint64_t sums(uint64_t w) {
  w ^= w << 1;
  w ^= w << 2;
  w ^= w << 4;
  w ^= w << 8;
  w ^= w << 16;
  w ^= w << 32;
  return w;
}
#endif

/* Steps over the bracket at p, which is outside of strings: SHORT where the
 * value goes on after it. */
static inline enum verdict bracket(uint8_t c, uint64_t *levels, uint64_t *level,
                                   uint64_t depth, uint64_t room) {
  const uint64_t n = *level;
  if (c == '[' || c == '{') {
    if (n >= depth)
      return DEEP;
    if (n >> 6 >= room)
      return CRAMPED;
    const uint64_t bit = 1ULL << (n & 63);
    if (c == '{')
      levels[n >> 6] |= bit;
    else
      levels[n >> 6] &= ~bit;
    *level = n + 1;
    return SHORT;
  }
  /* A frame is open here: a value begins with an opening bracket and ends with
   * the last closing one. */
  if ((c == '}') != (int)(levels[(n - 1) >> 6] >> ((n - 1) & 63) & 1))
    return WRONG;
  *level = n - 1;
  return n == 1 ? FOUND : SHORT;
}

/* Goes on after at bytes of a value with the n bytes at base + off. depth: how
 * many levels may be open; room: words for them. A number or a literal ends
 * before a delimiter, which therefore must be seen. */
uint64_t tern_boundary_json(struct boundary *b, uint64_t at, bytes base,
                            size_t off, size_t n, uint64_t depth,
                            uint64_t room) {
  if (!take(b, at))
    return STALE;
  const bytes start = base + off, end = start + n;
  bytes p = start;
  uint64_t level = b->level;
  enum mode mode = (enum mode)b->mode;
  enum verdict v = SHORT;
#if defined(__SSE2__)
  bytes slow = start; /* up to there it goes from token to token */
#endif
  while (p < end) {
#if defined(__SSE2__)
    /* 64 bytes at a time, unless there are backslashes among them. */
    if (p >= slow && (mode == INSIDE || (mode == STRING && level))) {
      uint64_t inside = mode == STRING ? UINT64_MAX : 0;
      while (end - p >= 64) {
        uint64_t quotes, backslashes, brackets;
        marks(p, &quotes, &backslashes, &brackets);
        if (backslashes) {
          slow = p + 64;
          break;
        }
        const uint64_t strings = sums(quotes) ^ inside;
        for (brackets &= ~strings; brackets; brackets &= brackets - 1) {
          const int i = __builtin_ctzll(brackets);
          v = bracket(p[i], b->levels, &level, depth, room);
          if (v != SHORT) {
            p += i + (v == FOUND);
            goto done;
          }
        }
        inside = 0 - (strings >> 63);
        p += 64;
      }
      mode = inside ? STRING : INSIDE;
      if (p == end)
        break;
    }
#endif
    switch (mode) {
    case BEGIN:
      if (*p == '"') {
        p++;
        mode = STRING;
      } else if (!delimiter[*p]) {
        mode = SCALAR;
      } else if (*p == '[' || *p == '{') {
        mode = INSIDE;
      } else {
        v = WRONG;
        goto done;
      }
      break;
    case INSIDE:
      p = next_structural(p, end);
      if (p == end)
        break;
      if (*p == '"') {
        p++;
        mode = STRING;
        break;
      }
      v = bracket(*p, b->levels, &level, depth, room);
      if (v != SHORT) {
        p += v == FOUND;
        goto done;
      }
      p++;
      break;
    case STRING:
      p = next_in_string(p, end);
      if (p == end)
        break;
      if (*p++ == '\\') {
        mode = ESCAPE;
      } else if (level == 0) {
        v = FOUND;
        goto done;
      } else {
        mode = INSIDE;
      }
      break;
    case ESCAPE:
      p++;
      mode = STRING;
      break;
    case SCALAR:
      while (p < end && !delimiter[*p])
        p++;
      if (p < end) {
        v = FOUND;
        goto done;
      }
      break;
    }
  }
done:
  b->level = level;
  b->mode = mode;
  return verdict(b, v, at + (uint64_t)(p - start));
}

/* --- MessagePack ------------------------------------------------------------ */

/* Bytes of a header, its first one included; 0 for the byte that is none. */
static inline unsigned header_size(uint8_t b) {
  static const uint8_t sizes[32] = {
      1, 0, 1, 1, 2, 3, 5, 2, 3, 5, 1, 1, 1, 1, 1, 1,  /* c0 - cf */
      1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 3, 5, 3, 5, 3, 5}; /* d0 - df */
  return b < 0xc0 || b >= 0xe0 ? 1 : sizes[b - 0xc0];
}

static inline uint64_t big_endian(bytes p, unsigned n) {
  uint64_t w = 0;
  for (unsigned i = 0; i < n; i++)
    w = w << 8 | p[i];
  return w;
}

/* What a whole header announces: bytes of a body, an extension's type among
 * them, or values of a frame. */
static inline uint64_t announced(bytes h, unsigned size, int *frame) {
  const uint8_t b = *h;
  *frame = 0;
  if (b < 0x80 || b >= 0xe0)
    return 0;
  if (b < 0xa0) {
    *frame = 1;
    return (uint64_t)(b & 15) << (b < 0x90);
  }
  if (b < 0xc0)
    return b & 31;
  if (b >= 0xdc) {
    *frame = 1;
    return big_endian(h + 1, size - 1) << (b >= 0xde);
  }
  if (b < 0xc4)
    return 0;
  if (b < 0xc7 || b >= 0xd9)
    return big_endian(h + 1, size - 1);
  if (b < 0xca)
    return 1 + big_endian(h + 1, size - 1);
  if (b < 0xcc)
    return 4ULL << (b - 0xca);
  if (b < 0xd4)
    return 1ULL << ((b - 0xcc) & 3);
  return 1 + (1ULL << (b - 0xd4));
}

/* As for JSON; limit: the most bytes that the value may have. What is wrong is
 * the header at the place. */
uint64_t tern_boundary_msgpack(struct boundary *b, uint64_t at, bytes base,
                               size_t off, size_t n, uint64_t depth,
                               uint64_t room, uint64_t limit) {
  if (!take(b, at))
    return STALE;
  const bytes start = base + off, end = start + n;
  bytes p = start;
  uint64_t level = b->level, want = b->want, wanted = b->wanted;
  uint64_t body = b->body;
  unsigned have = (unsigned)b->mode;
  uint64_t back = 0; /* bytes from p to the start of a header that is wrong */
  enum verdict v = SHORT;
  if (at == 0)
    want = wanted = 1;
  for (;;) {
    if (body) {
      uint64_t left = (uint64_t)(end - p);
      if (left < body) {
        body -= left;
        p = end;
        break;
      }
      p += body;
      body = 0;
    }
    if (wanted == 0) {
      v = FOUND;
      break;
    }
    if (p == end)
      break;
    unsigned size = header_size(have ? b->head[0] : *p);
    bytes h = p;
    if (size == 0) {
      v = WRONG;
      break;
    }
    if (!have && at + (uint64_t)(p - start) + size > limit) {
      v = LONG;
      break;
    }
    if (have || (uint64_t)(end - p) < size) {
      while (have < size && p < end)
        b->head[have++] = *p++;
      if (have < size)
        break;
      h = b->head;
      have = 0;
    } else {
      p += size;
    }
    int frame;
    uint64_t m = announced(h, size, &frame);
    while (want == 0)
      want = b->levels[--level];
    want--;
    wanted--;
    if (frame) {
      if (level >= depth) {
        v = DEEP;
        back = size;
        break;
      }
      if (level >= room) {
        v = CRAMPED;
        break;
      }
      b->levels[level++] = want;
      want = m;
      wanted += m;
    } else {
      body = m;
    }
    /* Each value has a byte of its own. */
    uint64_t seen = at + (uint64_t)(p - start);
    if (seen > limit || body > limit - seen || wanted > limit - seen - body) {
      v = LONG;
      break;
    }
  }
  b->level = level;
  b->want = want;
  b->wanted = wanted;
  b->body = body;
  b->mode = have;
  return verdict(b, v, at + (uint64_t)(p - start) - back);
}

/* --- CBOR -------------------------------------------------------------------- */

/* What a level wants that ends with a break: elements, a map's next key, a map's
 * next value, chunks of bytes or of text. No count reaches these. */
#define ELEMENTS UINT64_MAX
#define KEY (UINT64_MAX - 1)
#define VALUE (UINT64_MAX - 2)
#define CHUNKS(major) (UINT64_MAX - 1 - (uint64_t)(major))

/* Bytes of a head, its first one included; 0 for one that is reserved. */
static inline unsigned head_size(uint8_t b) {
  const unsigned major = b >> 5, info = b & 31;
  if (info < 24)
    return 1;
  if (info < 28)
    return 1 + (1u << (info - 24));
  return info == 31 && (major == 7 || (major >= 2 && major <= 5));
}

/* As for MessagePack. */
uint64_t tern_boundary_cbor(struct boundary *b, uint64_t at, bytes base,
                            size_t off, size_t n, uint64_t depth, uint64_t room,
                            uint64_t limit) {
  if (!take(b, at))
    return STALE;
  const bytes start = base + off, end = start + n;
  bytes p = start;
  uint64_t level = b->level, want = b->want, wanted = b->wanted;
  uint64_t body = b->body;
  unsigned have = (unsigned)b->mode;
  uint64_t back = 0; /* from after a head that is wrong */
  enum verdict v = SHORT;
  if (at == 0)
    want = wanted = 1;
  for (;;) {
    if (body) {
      uint64_t left = (uint64_t)(end - p);
      if (left < body) {
        body -= left;
        p = end;
        break;
      }
      p += body;
      body = 0;
    }
    if (wanted == 0) {
      v = FOUND;
      break;
    }
    if (p == end)
      break;
    const unsigned size = head_size(have ? b->head[0] : *p);
    bytes h = p;
    if (size == 0) {
      v = WRONG;
      break;
    }
    if (!have && at + (uint64_t)(p - start) + size > limit) {
      v = LONG;
      break;
    }
    if (have || (uint64_t)(end - p) < size) {
      while (have < size && p < end)
        b->head[have++] = *p++;
      if (have < size)
        break;
      h = b->head;
      have = 0;
    } else {
      p += size;
    }
    const unsigned major = *h >> 5, info = *h & 31;
    const uint64_t m = size == 1 ? info : big_endian(h + 1, size - 1);
    while (want == 0)
      want = b->levels[--level];
    if (*h == 0xff) {
      if (want < CHUNKS(3) || want == VALUE) {
        v = WRONG;
        back = size;
        break;
      }
      want = b->levels[--level];
      wanted--;
      continue;
    }
    uint64_t inner = 0; /* what a level wants that begins here */
    if (want == CHUNKS(2) || want == CHUNKS(3)) {
      if (want != CHUNKS(major) || info == 31) {
        v = WRONG;
        back = size;
        break;
      }
      body = m;
    } else {
      if (want < CHUNKS(3)) {
        want--;
        wanted--;
      } else if (want == KEY) {
        want = VALUE;
      } else if (want == VALUE) {
        want = KEY;
      }
      switch (major) {
      case 2:
      case 3:
        if (info == 31)
          inner = CHUNKS(major);
        else
          body = m;
        break;
      case 4:
        inner = info == 31 ? ELEMENTS : m;
        break;
      case 5:
        inner = info == 31 ? KEY : m > limit ? m : 2 * m;
        break;
      case 6:
        inner = 1;
        break;
      case 7:
        if (info == 24 && m < 32) {
          v = WRONG;
          back = size;
        }
        break;
      default:
        break;
      }
      if (v == WRONG)
        break;
    }
    if (major >= 4 && major <= 6 && level >= depth) {
      v = DEEP;
      back = size;
      break;
    }
    if (info != 31 && inner > limit) {
      v = LONG;
      break;
    }
    if (inner) {
      if (level >= room) {
        v = CRAMPED;
        break;
      }
      b->levels[level++] = want;
      want = inner;
      /* A frame or a string without a length wants its break at least. */
      wanted += info == 31 ? 1 : inner;
    }
    /* Each value has a byte of its own. */
    uint64_t seen = at + (uint64_t)(p - start);
    if (seen > limit || body > limit - seen || wanted > limit - seen - body) {
      v = LONG;
      break;
    }
  }
  b->level = level;
  b->want = want;
  b->wanted = wanted;
  b->body = body;
  b->mode = have;
  return verdict(b, v, at + (uint64_t)(p - start) - back);
}
