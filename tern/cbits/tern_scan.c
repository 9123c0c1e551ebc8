/* Passes over bytes that want words or vector instructions: where a string
 * ends, whether bytes are UTF-8, unescaping, and stepping over a JSON value.
 *
 * Called from Tern.Prim.Scan by unsafe foreign calls: nothing here calls back,
 * and only the search with notes (tern_seen.h) allocates or keeps state. Every
 * function reads only [p, end) and says how far it came, so that the caller can
 * report a byte offset.
 */
#include "tern_seen.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

typedef const uint8_t *bytes;

/* tern_utf8.c */
bytes tern_utf8_wide(bytes p, bytes end);
bytes tern_utf8_wide_copy(bytes p, bytes end, uint8_t *to);

static inline uint64_t load64(bytes p) {
  uint64_t w;
  memcpy(&w, p, 8);
  return w;
}

/* The high bit of each byte of w that is below n (n <= 128). */
#define LOW_BITS 0x0101010101010101ULL
#define HIGH_BITS 0x8080808080808080ULL
static inline uint64_t has_less(uint64_t w, uint64_t n) {
  return (w - LOW_BITS * n) & ~w & HIGH_BITS;
}
static inline uint64_t has_byte(uint64_t w, uint8_t b) {
  uint64_t x = w ^ (LOW_BITS * b);
  return (x - LOW_BITS) & ~x & HIGH_BITS;
}

/* The first byte in [p, end) that a JSON string cannot hold as it stands: a
 * quote, a backslash or a control character; end where there is none. Sets
 * *high to non-zero when a byte before that is 0x80 or above. */
static inline bytes plain_until(bytes p, bytes end, unsigned *high) {
#if defined(__SSE2__)
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i backslash = _mm_set1_epi8('\\');
  const __m128i control = _mm_set1_epi8(0x1f);
  while (end - p >= 16) {
    __m128i v = _mm_loadu_si128((const __m128i *)p);
    __m128i stop = _mm_or_si128(
        _mm_or_si128(_mm_cmpeq_epi8(v, quote), _mm_cmpeq_epi8(v, backslash)),
        _mm_cmpeq_epi8(_mm_min_epu8(v, control), v));
    unsigned mask = (unsigned)_mm_movemask_epi8(stop);
    unsigned above = (unsigned)_mm_movemask_epi8(v);
    if (mask) {
      unsigned n = (unsigned)__builtin_ctz(mask);
      *high |= above & ((1u << n) - 1);
      return p + n;
    }
    *high |= above;
    p += 16;
  }
#endif
  while (end - p >= 8) {
    uint64_t w = load64(p);
    if (has_less(w, 0x20) | has_byte(w, '"') | has_byte(w, '\\'))
      break;
    *high |= (w & HIGH_BITS) != 0;
    p += 8;
  }
  while (p < end && *p >= 0x20 && *p != '"' && *p != '\\')
    *high |= *p++ & 0x80;
  return p;
}

/* How many leading bytes of p[0..n) can stand in a JSON string unescaped. */
size_t tern_json_plain(bytes base, size_t offset, size_t n) {
  unsigned high = 0;
  bytes p = base + offset;
  return (size_t)(plain_until(p, p + n, &high) - p);
}

/* What stands after the backslash for a byte that must be escaped: a letter,
 * 'u' for the long form; 0 where the byte stands for itself. */
static const uint8_t escape_letter[256] = {
    'u',        'u',         'u',        'u', 'u', 'u', 'u', 'u', 'b', 't', 'n',
    'u',        'f',         'r',        'u', 'u', 'u', 'u', 'u', 'u', 'u', 'u',
    'u',        'u',         'u',        'u', 'u', 'u', 'u', 'u', 'u', 'u',
    ['"'] = '"', ['\\'] = '\\'};

/* How many bytes more than n the n bytes at base + offset take when they are
 * escaped. */
size_t tern_json_escapes(bytes base, size_t offset, size_t n) {
  bytes p = base + offset, end = p + n;
  size_t extra = 0;
  for (;;) {
#if defined(__SSE2__)
    const __m128i quote = _mm_set1_epi8('"');
    const __m128i backslash = _mm_set1_epi8('\\');
    const __m128i control = _mm_set1_epi8(0x1f);
    while (end - p >= 16) {
      __m128i v = _mm_loadu_si128((const __m128i *)p);
      if (_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(v, control), v)))
        break;
      extra += (size_t)__builtin_popcount((unsigned)_mm_movemask_epi8(_mm_or_si128(
          _mm_cmpeq_epi8(v, quote), _mm_cmpeq_epi8(v, backslash))));
      p += 16;
    }
#endif
    bytes stop = end - p >= 16 ? p + 16 : end;
    if (p == stop)
      return extra;
    for (; p < stop; p++)
      if (escape_letter[*p])
        extra += escape_letter[*p] == 'u' ? 5 : 1;
  }
}

/* Writes the n bytes at base + offset escaped, to where there is room for them
 * and the 16 bytes of slack that every writer has. Returns the end. */
uint8_t *tern_json_escape(bytes base, size_t offset, size_t n, uint8_t *out) {
  static const char digits[] = "0123456789abcdef";
  bytes p = base + offset, end = p + n;
  for (;;) {
#if defined(__SSE2__)
    const __m128i quote = _mm_set1_epi8('"');
    const __m128i backslash = _mm_set1_epi8('\\');
    const __m128i control = _mm_set1_epi8(0x1f);
    while (end - p >= 16) {
      __m128i v = _mm_loadu_si128((const __m128i *)p);
      unsigned low = (unsigned)_mm_movemask_epi8(
          _mm_cmpeq_epi8(_mm_min_epu8(v, control), v));
      unsigned two = (unsigned)_mm_movemask_epi8(
          _mm_or_si128(_mm_cmpeq_epi8(v, quote), _mm_cmpeq_epi8(v, backslash)));
      if (two == 0xffff) {
        _mm_storeu_si128((__m128i *)out, _mm_unpacklo_epi8(backslash, v));
        _mm_storeu_si128((__m128i *)(out + 16), _mm_unpackhi_epi8(backslash, v));
        p += 16;
        out += 32;
        continue;
      }
      _mm_storeu_si128((__m128i *)out, v);
      unsigned stop = low | two;
      if (stop) {
        unsigned plain = (unsigned)__builtin_ctz(stop);
        p += plain;
        out += plain;
        break;
      }
      p += 16;
      out += 16;
    }
#endif
    if (p == end)
      return out;
    /* Byte by byte over what must be escaped and a little further. */
    for (bytes stop = end - p >= 8 ? p + 8 : end; p < stop; p++) {
      uint8_t letter = escape_letter[*p];
      if (!letter) {
        *out++ = *p;
        continue;
      }
      *out++ = '\\';
      *out++ = letter;
      if (letter == 'u') {
        *out++ = '0';
        *out++ = '0';
        *out++ = (uint8_t)digits[*p >> 4];
        *out++ = (uint8_t)digits[*p & 15];
      }
    }
  }
}

/* The first ill-formed byte of [p, end) read as UTF-8 (no surrogates, no
 * overlong forms, nothing above U+10FFFF); end where there is none. */
static bytes utf8_until(bytes p, bytes end) {
  /* Long ones first as far as the processor sees at once that all is well. */
  if (end - p >= 256)
    p = tern_utf8_wide(p, end);
  while (p < end) {
    while (end - p >= 16 && !((load64(p) | load64(p + 8)) & HIGH_BITS))
      p += 16;
    if (p >= end)
      return end;
    uint8_t b = *p;
    if (b < 0x80) {
      p++;
    } else if (b < 0xe0) {
      if (b < 0xc2 || end - p < 2 || (p[1] & 0xc0) != 0x80)
        return p;
      p += 2;
    } else if (b < 0xf0) {
      /* Two sequences of three bytes at a time, where neither begins with a
       * byte after which some second bytes are ruled out. */
      while (end - p >= 8) {
        uint64_t w = load64(p);
        uint64_t first = w & 0xff, second = w >> 24 & 0xff;
        if ((w & 0x0000c0c0f0c0c0f0ULL) != 0x00008080e08080e0ULL ||
            first == 0xe0 || first == 0xed || second == 0xe0 || second == 0xed)
          break;
        p += 6;
      }
      b = *p;
      if (b < 0xe0 || b >= 0xf0)
        continue;
      if (end - p < 3 || (p[1] & 0xc0) != 0x80 || (p[2] & 0xc0) != 0x80 ||
          (b == 0xe0 && p[1] < 0xa0) || (b == 0xed && p[1] >= 0xa0))
        return p;
      p += 3;
    } else {
      if (b > 0xf4 || end - p < 4 || (p[1] & 0xc0) != 0x80 ||
          (p[2] & 0xc0) != 0x80 || (p[3] & 0xc0) != 0x80 ||
          (b == 0xf0 && p[1] < 0x90) || (b == 0xf4 && p[1] >= 0x90))
        return p;
      p += 4;
    }
  }
  return end;
}

/* How many leading bytes of p[0..n) are UTF-8; n when all are. */
size_t tern_utf8(bytes p, size_t n) {
  return (size_t)(utf8_until(p, p + n) - p);
}

/* The same, and those bytes are copied; what comes after them in to[0..n) is anything
 * where they are not all. */
size_t tern_utf8_copy(bytes p, size_t n, uint8_t *to) {
  const bytes seen = tern_utf8_wide_copy(p, p + n, to);
  const bytes good = utf8_until(seen, p + n);
  memcpy(to + (seen - p), seen, (size_t)(good - seen));
  return (size_t)(good - p);
}

/* A string's body, from after its opening quote. Returns the address of its
 * closing quote and sets flags: bit 0, it has escapes; bit 1, it has bytes of
 * 0x80 and above. Where it does not close, or holds a control character,
 * returns that place (or end) and sets bit 2. Escapes are only stepped over
 * here; tern_json_unescape and escape_length check them. */
bytes tern_json_string(bytes p, bytes end, uint64_t *flags) {
  unsigned high = 0;
  uint64_t escapes = 0;
  for (;;) {
    p = plain_until(p, end, &high);
    if (p >= end || *p < 0x20)
      break;
    if (*p == '"') {
      *flags = escapes | (high ? 2 : 0);
      return p;
    }
    escapes = 1;
    do {
      if (end - p < 2) {
        *flags = 4;
        return end;
      }
      p += 2;
    } while (p < end && *p == '\\');
  }
  *flags = 4;
  return p;
}

static const int8_t hex_digit[256] = {
    ['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,
    ['6'] = 7,  ['7'] = 8,  ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12,
    ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16, ['A'] = 11, ['B'] = 12,
    ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16};

/* Four hexadecimal digits, or -1. */
static inline int32_t hex4(bytes p, bytes end) {
  if (end - p < 4)
    return -1;
  int a = hex_digit[p[0]], b = hex_digit[p[1]], c = hex_digit[p[2]],
      d = hex_digit[p[3]];
  if (!a || !b || !c || !d)
    return -1;
  return (a - 1) << 12 | (b - 1) << 8 | (c - 1) << 4 | (d - 1);
}

static const uint8_t short_escape[256] = {
    ['"'] = '"',  ['\\'] = '\\', ['/'] = '/',  ['b'] = '\b',
    ['f'] = '\f', ['n'] = '\n',  ['r'] = '\r', ['t'] = '\t'};

/* One escape at p (which holds a backslash): its code point, or -1, and its
 * length in *n. A lone surrogate is -1 unless replace, when it is U+FFFD. */
static inline int32_t escape_at(bytes p, bytes end, int replace, unsigned *n) {
  if (end - p < 2)
    return -1;
  if (short_escape[p[1]]) {
    *n = 2;
    return short_escape[p[1]];
  }
  if (p[1] != 'u')
    return -1;
  int32_t c = hex4(p + 2, end);
  if (c < 0)
    return -1;
  *n = 6;
  if (c < 0xd800 || c > 0xdfff)
    return c;
  if (c < 0xdc00 && end - p >= 12 && p[6] == '\\' && p[7] == 'u') {
    int32_t low = hex4(p + 8, end);
    if (low >= 0xdc00 && low <= 0xdfff) {
      *n = 12;
      return 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
    }
  }
  return replace ? 0xfffd : -1;
}

/* Copies [p, end) up to a backslash. There is room for end - p bytes, so that
 * whole vectors may be stored as long as whole vectors can be loaded. */
static inline bytes copy_until_backslash(bytes p, bytes end, uint8_t **dst) {
  uint8_t *out = *dst;
#if defined(__SSE2__)
  const __m128i backslash = _mm_set1_epi8('\\');
  while (end - p >= 16) {
    __m128i v = _mm_loadu_si128((const __m128i *)p);
    _mm_storeu_si128((__m128i *)out, v);
    unsigned mask = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, backslash));
    if (mask) {
      unsigned n = (unsigned)__builtin_ctz(mask);
      *dst = out + n;
      return p + n;
    }
    p += 16;
    out += 16;
  }
#endif
  while (p < end && *p != '\\')
    *out++ = *p++;
  *dst = out;
  return p;
}

/* The body [p, end) of a string whose closing quote is at end, unescaped to
 * dst, which has room for end - p bytes (no escape is shorter than what it
 * stands for). Returns the length written, or -1 - offset of what is wrong.
 * The plain bytes between escapes are copied and not checked. */
int64_t tern_json_unescape(bytes p, bytes end, uint64_t replace, uint8_t *base,
                           size_t dst_offset) {
  bytes start = p;
  uint8_t *dst = base + dst_offset, *out = dst;
  while (p < end) {
    if (*p != '\\') {
      p = copy_until_backslash(p, end, &out);
      continue;
    }
    if (end - p >= 2 && short_escape[p[1]]) {
      *out++ = short_escape[p[1]];
      p += 2;
      continue;
    }
    unsigned n = 0;
    int32_t c = escape_at(p, end, (int)replace, &n);
    if (c < 0)
      return -1 - (int64_t)(p - start);
    p += n;
    if (c < 0x80) {
      *out++ = (uint8_t)c;
    } else if (c < 0x800) {
      *out++ = (uint8_t)(0xc0 | c >> 6);
      *out++ = (uint8_t)(0x80 | (c & 0x3f));
    } else if (c < 0x10000) {
      *out++ = (uint8_t)(0xe0 | c >> 12);
      *out++ = (uint8_t)(0x80 | (c >> 6 & 0x3f));
      *out++ = (uint8_t)(0x80 | (c & 0x3f));
    } else {
      *out++ = (uint8_t)(0xf0 | c >> 18);
      *out++ = (uint8_t)(0x80 | (c >> 12 & 0x3f));
      *out++ = (uint8_t)(0x80 | (c >> 6 & 0x3f));
      *out++ = (uint8_t)(0x80 | (c & 0x3f));
    }
  }
  return out - dst;
}

/* --- stepping over a value -------------------------------------------------
 *
 * The whole grammar is checked, strings' escapes and UTF-8 included, so that
 * a document is refused for the same reasons whether or not its parts are
 * wanted. No recursion: one bit a level says whether it is an object.
 */

enum skip_error {
  SKIP_OK = 0,
  SKIP_END = 1,     /* the input ends within the value */
  SKIP_BYTE = 2,    /* a byte that cannot stand here */
  SKIP_DEPTH = 3,   /* more levels than allowed */
  SKIP_CONTROL = 4, /* a control character in a string */
  SKIP_ESCAPE = 5,  /* a bad escape or a lone surrogate */
  SKIP_UTF8 = 6,    /* ill-formed UTF-8 in a string */
  SKIP_MEMORY = 7,  /* none left for notes */
  SKIP_ZERO = 8     /* a digit after a number's leading zero */
};

/* A line's end and its indentation at a time. */
static bytes skip_spaces(bytes p, bytes end) {
  while (p < end && *p <= 0x20) {
    if (*p == '\n' || *p == '\r' || *p == '\t')
      p++;
    else if (*p != ' ')
      return p;
#if defined(__SSE2__)
    const __m128i space = _mm_set1_epi8(' ');
    while (end - p >= 16) {
      __m128i v = _mm_loadu_si128((const __m128i *)p);
      unsigned other =
          (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, space)) ^ 0xffff;
      if (other) {
        p += __builtin_ctz(other);
        break;
      }
      p += 16;
    }
#endif
    while (p < end && *p == ' ')
      p++;
  }
  return p;
}

/* Most often there is none, or one space. */
static inline bytes skip_space(bytes p, bytes end) {
  if (p < end && *p > 0x20)
    return p;
  if (end - p >= 2 && *p == ' ' && p[1] > 0x20)
    return p + 1;
  return skip_spaces(p, end);
}

/* The first byte from p on that is not white space, or end. */
bytes tern_json_space(bytes p, bytes end) { return skip_spaces(p, end); }

/* From after an opening quote to after the closing one. */
static bytes skip_string(bytes p, bytes end, int replace, unsigned *error) {
  unsigned high = 0;
  bytes start = p;
  for (;;) {
    p = plain_until(p, end, &high);
    if (p >= end) {
      *error = SKIP_END;
      return end;
    }
    if (*p == '"')
      break;
    if (*p < 0x20) {
      *error = SKIP_CONTROL;
      return p;
    }
    unsigned n = 0;
    if (escape_at(p, end, replace, &n) < 0) {
      *error = SKIP_ESCAPE;
      return p;
    }
    p += n;
  }
  if (high) {
    bytes bad = utf8_until(start, p);
    if (bad != p) {
      *error = SKIP_UTF8;
      return bad;
    }
  }
  return p + 1;
}

static inline bytes skip_digits(bytes p, bytes end) {
  while (p < end && (uint8_t)(*p - '0') < 10)
    p++;
  return p;
}

static bytes skip_number(bytes p, bytes end, unsigned *error) {
  if (p < end && *p == '-')
    p++;
  if (p < end && *p == '0') {
    p++;
    if (p < end && (uint8_t)(*p - '0') < 10) {
      *error = SKIP_ZERO;
      return p;
    }
  } else {
    bytes q = skip_digits(p, end);
    if (q == p)
      goto bad;
    p = q;
  }
  if (p < end && *p == '.') {
    bytes q = skip_digits(p + 1, end);
    if (q == p + 1) {
      p = q;
      goto bad;
    }
    p = q;
  }
  if (p < end && (*p | 0x20) == 'e') {
    p++;
    if (p < end && (*p == '+' || *p == '-'))
      p++;
    bytes q = skip_digits(p, end);
    if (q == p)
      goto bad;
    p = q;
  }
  return p;
bad:
  *error = p < end ? SKIP_BYTE : SKIP_END;
  return p;
}

static inline bytes skip_literal(bytes p, bytes end, const char *word, size_t n,
                                 unsigned *error) {
  size_t i = 0;
  while (i < n && p + i < end && p[i] == (uint8_t)word[i])
    i++;
  if (i < n)
    *error = p + i < end ? SKIP_BYTE : SKIP_END;
  return p + i;
}

/* Steps over the value at p. depth: how many more levels may be opened;
 * objects: a bit for each of them, or seen: notes, which keep the levels
 * themselves. Returns where it stopped; *out says why.
 *
 * Inlined into its three callers, two of which know that there are no notes. */
__attribute__((always_inline)) static inline bytes
skip_value(bytes p, bytes end, uint64_t depth, int replace, uint64_t *objects,
           struct seen *seen, uint64_t *out) {
  const bytes from = p;
  const int noting = seen && p >= seen->until;
  uint64_t level = 0, known = 0;
  unsigned error = SKIP_OK;
value:
  p = skip_space(p, end);
  if (p >= end) {
    error = SKIP_END;
    goto done;
  }
  switch (*p) {
  case '"':
    p = skip_string(p + 1, end, replace, &error);
    break;
  case '{':
  case '[': {
    if (level >= depth) {
      error = SKIP_DEPTH;
      goto done;
    }
    int object = *p == '{';
    if (seen && !noting) {
      bytes after = tern_seen_end(seen, p);
      if (after) {
        known += (uint64_t)(after - p);
        p = after;
        break;
      }
    }
    bytes q = skip_space(p + 1, end);
    if (q < end && *q == (object ? '}' : ']')) {
      p = q + 1;
      break;
    }
    if (seen) {
      if (!tern_seen_open(seen, p)) {
        error = SKIP_MEMORY;
        goto done;
      }
    } else {
      uint64_t bit = 1ULL << (level & 63);
      if (object)
        objects[level >> 6] |= bit;
      else
        objects[level >> 6] &= ~bit;
    }
    level++;
    p = q;
    if (object)
      goto key;
    goto value;
  }
  case 't':
    p = skip_literal(p, end, "true", 4, &error);
    break;
  case 'f':
    p = skip_literal(p, end, "false", 5, &error);
    break;
  case 'n':
    p = skip_literal(p, end, "null", 4, &error);
    break;
  default:
    p = skip_number(p, end, &error);
  }
  if (error)
    goto done;
after:
  if (level == 0)
    goto done;
  p = skip_space(p, end);
  if (p >= end) {
    error = SKIP_END;
    goto done;
  }
  int object = seen ? *seen->levels[level - 1].start == '{'
                    : (objects[(level - 1) >> 6] >> ((level - 1) & 63)) & 1;
  if (*p == ',') {
    p++;
    if (!object)
      goto value;
    p = skip_space(p, end);
    goto key;
  }
  if (*p == (object ? '}' : ']')) {
    p++;
    level--;
    if (seen && !tern_seen_close(seen, p, noting)) {
      error = SKIP_MEMORY;
      goto done;
    }
    goto after;
  }
  error = SKIP_BYTE;
  goto done;
key:
  if (p >= end) {
    error = SKIP_END;
    goto done;
  }
  if (*p != '"') {
    error = SKIP_BYTE;
    goto done;
  }
  p = skip_string(p + 1, end, replace, &error);
  if (error)
    goto done;
  p = skip_space(p, end);
  if (p >= end || *p != ':') {
    error = p < end ? SKIP_BYTE : SKIP_END;
    goto done;
  }
  p++;
  goto value;
done:
  if (seen)
    seen->stepped += (uint64_t)(p - from) - known;
  *out = error;
  return p;
}

#define SHALLOW 1024

/* The same with room of its own: at most SHALLOW levels are opened, whatever
 * depth says. */
static bytes skip_shallow(bytes p, bytes end, uint64_t depth, int replace,
                          uint64_t *out) {
  uint64_t objects[SHALLOW / 64];
  return skip_value(p, end, depth < SHALLOW ? depth : SHALLOW, replace, objects,
                    NULL, out);
}

bytes tern_json_skip(bytes p, bytes end, uint64_t depth, uint64_t replace,
                     uint64_t *out) {
  return skip_shallow(p, end, depth, (int)replace, out);
}

bytes tern_json_skip_deep(bytes p, bytes end, uint64_t depth, uint64_t replace,
                          uint64_t *objects, uint64_t *out) {
  return skip_value(p, end, depth, (int)replace, objects, NULL, out);
}

/* The same by notes. A value that they reach is stepped over from note to note.
 * A value after them is added to them; where the object that is searched is after
 * them too, they are begun afresh first. What an error stopped leaves no notes. */
bytes tern_json_skip_seen(bytes p, bytes end, uint64_t depth, uint64_t replace,
                          bytes object, struct seen *seen, uint64_t *out) {
  const int noting = p >= seen->until;
  if (object >= seen->until)
    seen->count = 0;
  const size_t noted = seen->count;
  seen->depth = 0;
  p = skip_value(p, end, depth, (int)replace, NULL, seen, out);
  if (*out != SKIP_OK) {
    seen->count = noted;
  } else if (noting) {
    tern_seen_sort(seen, noted);
    seen->until = p;
  }
  return p;
}

/* --- names of a record's fields ---------------------------------------------
 *
 * A set of names is one array of words:
 *   how many there are (n); a mask; whether all of them stand in JSON as they
 *   are, without escapes;
 *   n entries by number, and mask + 1 by hash (of which many are empty: all bits
 *   of the second word are set), of two words each: a name's first eight bytes,
 *   with zeros after a shorter one, and its number in the high half, its length
 *   in the low one;
 *   n offsets of the names' bytes from the array's start, then those bytes.
 * Names of up to eight bytes, most of them, are thus told by two comparisons.
 * The set is fixed and belongs to the program, so that input can neither fill
 * it nor make it collide.
 */

struct entry {
  uint64_t head;
  uint64_t which;
};

#define EMPTY UINT64_MAX

static inline const struct entry *by_number(const uint64_t *names) {
  return (const struct entry *)(names + 3);
}

static inline const struct entry *by_hash(const uint64_t *names) {
  return by_number(names) + names[0];
}

/* The first eight of the n bytes at p, with zeros after fewer. */
static inline uint64_t name_head(bytes p, size_t n, bytes end) {
  if (n >= 8)
    return load64(p);
  if (end - p >= 8)
    return load64(p) & ((1ULL << (8 * n)) - 1);
  uint64_t w = 0;
  memcpy(&w, p, n);
  return w;
}

/* Folded first: a product's bits depend on none above them, and names often
 * differ in their last bytes alone. */
static inline uint64_t short_hash(uint64_t w, size_t n) {
  w ^= n ^ w >> 32;
  return (w * 0xD6E8FEB86659FD93ULL) >> 32;
}

static inline uint64_t name_hash(uint64_t head, bytes p, size_t n) {
  return short_hash(
      n > 8 ? head ^ load64(p + n - 8) * 0x9E3779B97F4A7C15ULL : head, n);
}

uint64_t tern_name_hash(bytes p, size_t n) {
  return name_hash(name_head(p, n, p + n), p, n);
}

/* Is name number i, of n bytes that begin with the right eight, at p? */
static inline int rest_of_name(const uint64_t *names, uint64_t i, bytes p,
                               size_t n) {
  if (n <= 8)
    return 1;
  const uint64_t *offsets = (const uint64_t *)(by_hash(names) + names[1] + 1);
  return memcmp((bytes)names + offsets[i] + 8, p + 8, n - 8) == 0;
}

/* The number of the name that is the n bytes at p, or -1. */
static inline int64_t find_name(const uint64_t *names, bytes p, size_t n,
                                bytes end) {
  const uint64_t mask = names[1], head = name_head(p, n, end);
  const struct entry *places = by_hash(names);
  for (uint64_t place = name_hash(head, p, n) & mask;
       places[place].which != EMPTY; place = (place + 1) & mask) {
    uint64_t which = places[place].which;
    if (places[place].head == head && (uint32_t)which == n &&
        rest_of_name(names, which >> 32, p, n))
      return (int64_t)(which >> 32);
  }
  return -1;
}

int64_t tern_find_name(const uint64_t *names, bytes p, size_t n) {
  return find_name(names, p, n, p + n);
}

/* The number of the name of at most eight bytes that stands at p with a quote
 * after it, its length in *n; or -1. There are nine bytes at p. */
static inline int64_t find_short(const uint64_t *names, bytes p, size_t *n) {
  const uint64_t w = load64(p), mask = names[1];
  /* The high bit of the byte that is the first quote, if one is there. */
  const uint64_t quote = has_byte(w, '"') & -has_byte(w, '"');
  const uint64_t head = w & ((quote >> 7) - 1);
  *n = quote ? (size_t)__builtin_ctzll(quote) / 8 : 8;
  if (!quote && p[8] != '"')
    return -1;
  const struct entry *places = by_hash(names);
  for (uint64_t place = short_hash(head, *n) & mask;
       places[place].which != EMPTY; place = (place + 1) & mask)
    if (places[place].head == head && (uint32_t)places[place].which == *n)
      return (int64_t)(places[place].which >> 32);
  return -1;
}

/* Does name number i, of more than eight bytes, stand at p, with a quote after
 * it? Its length, or 0. */
static inline size_t is_long(const uint64_t *names, uint64_t i, bytes p,
                             bytes end) {
  if (i >= names[0])
    return 0;
  const struct entry *entry = by_number(names) + i;
  const size_t n = (uint32_t)entry->which;
  if (n > 8 && (size_t)(end - p) > n && p[n] == '"' &&
      load64(p) == entry->head && rest_of_name(names, i, p, n))
    return n;
  return 0;
}

enum member {
  MEMBER_ENDED = -1, /* the object's closing brace: after it */
  MEMBER_KEY = -2,   /* here a member must begin, and somebody must look */
  MEMBER_COMMA = -3  /* here a comma or the closing brace must stand */
};

static inline int64_t member_at(bytes p, int64_t what, uint64_t *out) {
  *out = (uint64_t)(uintptr_t)p;
  return what;
}

/* From after the opening brace of an object (first), or after a member's value:
 * on to the next member whose name is in the set, over those whose names are
 * not. Returns the name's number, and the address after its colon in *out (of
 * the long ones, guess is tried first). Names with escapes, values that are very
 * deep, and all errors are left to the caller, at the place where the member
 * begins.
 *
 * out[1] says how many more levels may be opened inside the object. In first, bit 1
 * says that a name that is not in the set is left to the caller too. */
__attribute__((noinline)) static int64_t
any_member(bytes p, bytes end, const uint64_t *names, uint64_t guess,
           uint64_t first, uint64_t *out) {
  const uint64_t closed = first & 2;
  first &= 1;
  for (;;) {
    p = skip_space(p, end);
    if (first) {
      first = 0;
      if (p < end && *p == '}')
        break;
    } else {
      if (p >= end || (*p != ',' && *p != '}'))
        return member_at(p, MEMBER_COMMA, out);
      if (*p == '}')
        break;
      p = skip_space(p + 1, end);
    }
    bytes key = p;
    if (p >= end || *p != '"')
      return member_at(key, MEMBER_KEY, out);
    p++;
    int64_t found = -1;
    size_t n = 0;
    if (names[2] && end - p > 8) {
      found = find_short(names, p, &n);
      if (found < 0 && (n = is_long(names, guess, p, end)))
        found = (int64_t)guess;
    }
    if (found >= 0) {
      p += n + 1;
    } else {
      unsigned high = 0;
      bytes close = plain_until(p, end, &high);
      if (close >= end || *close != '"' ||
          (high && utf8_until(p, close) != close))
        return member_at(key, MEMBER_KEY, out);
      found = find_name(names, p, (size_t)(close - p), end);
      p = close + 1;
    }
    p = skip_space(p, end);
    if (p >= end || *p != ':')
      return member_at(key, MEMBER_KEY, out);
    p++;
    if (found >= 0)
      return member_at(p, found, out);
    if (closed)
      return member_at(key, MEMBER_KEY, out);
    uint64_t error = SKIP_OK;
    p = skip_shallow(p, end, out[1], 0, &error);
    if (error)
      return member_at(key, MEMBER_KEY, out);
  }
  return member_at(p + 1, MEMBER_ENDED, out);
}

/* The same, at once where a short name that is in the set follows without any
 * white space. By itself, so that it needs no registers to be saved. */
int64_t tern_json_member(bytes p, bytes end, const uint64_t *names,
                         uint64_t guess, uint64_t first, uint64_t *out) {
  if (names[2] && end - p > 11 && ((first & 1) || *p == ',')) {
    bytes key = p + !(first & 1);
    if (*key == '"') {
      size_t n;
      int64_t found = find_short(names, key + 1, &n);
      if (found >= 0 && key[n + 2] == ':')
        return member_at(key + n + 3, found, out);
    }
  }
  return any_member(p, end, names, guess, first, out);
}
