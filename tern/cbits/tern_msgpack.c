/* Stepping over a MessagePack value.
 *
 * Called from Tern.Prim.MessagePack by unsafe foreign calls: nothing here
 * calls back, and only the search with notes (tern_seen.h) allocates or keeps
 * state. Only [p, end) is read.
 *
 * All of a value is checked, the UTF-8 of its strings and its timestamps
 * included, so that a document is refused for the same reasons whether or not
 * its parts are wanted. No recursion: an array of counts says how many values
 * each open level still wants. Each turn of the loop takes a byte at least, so
 * that time is linear whatever the headers claim.
 */
#include "tern_seen.h"

typedef const uint8_t *bytes;

size_t tern_utf8(bytes p, size_t n);

enum skip_error {
  SKIP_OK = 0,
  SKIP_END = 1,   /* the input ends within a header or a number */
  SKIP_BYTE = 2,  /* 0xc1 */
  SKIP_DEPTH = 3, /* more levels than allowed */
  SKIP_CLAIM = 4, /* a header claims more than what is left */
  SKIP_UTF8 = 5,  /* ill-formed UTF-8 in a string */
  SKIP_TIME = 6,  /* a timestamp of no known form, or with too many nanoseconds */
  SKIP_MEMORY = 7 /* no memory for notes */
};

static inline uint64_t big_endian(bytes p, unsigned n) {
  uint64_t w = 0;
  for (unsigned i = 0; i < n; i++)
    w = w << 8 | p[i];
  return w;
}

/* Is the body of a timestamp one of the three forms? */
static int is_timestamp(bytes p, uint64_t n) {
  switch (n) {
  case 4:
    return 1;
  case 8:
    return big_endian(p, 4) >> 2 < 1000000000;
  case 12:
    return big_endian(p, 4) < 1000000000;
  default:
    return 0;
  }
}

/* Steps over the value at p. depth: how many more levels may be opened; wanted:
 * a count for each of them, or seen: notes, which keep the levels themselves.
 * Returns the address after the value, or that of the
 * item that is wrong (of a string's first bad byte); *out says what it is. */
__attribute__((always_inline)) static inline bytes
skip_value(bytes p, bytes end, uint64_t depth, uint64_t *wanted,
           struct seen *seen, uint64_t *out) {
  const bytes from = p;
  const int noting = seen && p >= seen->until;
  uint64_t level = 0, want = 1, known = 0;
  unsigned error = SKIP_OK;
  for (;;) {
    while (want == 0) {
      if (level == 0)
        goto done;
      level--;
      want = seen ? seen->levels[level].wanted : wanted[level];
      if (seen && !tern_seen_close(seen, p, noting)) {
        error = SKIP_MEMORY;
        goto done;
      }
    }
    want--;
    if (p >= end) {
      error = SKIP_END;
      goto done;
    }
    uint8_t b = *p;
    uint64_t left = (uint64_t)(end - p) - 1, n;
    unsigned width; /* of what follows the first byte and counts */
    if (b < 0x80 || b >= 0xe0) {
      p++;
      continue;
    }
    if (b < 0x90) {
      n = 2 * (uint64_t)(b & 15);
      width = 0;
      goto frame;
    }
    if (b < 0xa0) {
      n = b & 15;
      width = 0;
      goto frame;
    }
    if (b < 0xc0) {
      n = b & 31;
      width = 0;
      goto string;
    }
    switch (b) {
    case 0xc0:
    case 0xc2:
    case 0xc3:
      p++;
      continue;
    case 0xc4:
    case 0xc5:
    case 0xc6:
      width = 1u << (b - 0xc4);
      if (left < width)
        goto ends;
      n = big_endian(p + 1, width);
      if (n > left - width)
        goto claims;
      p += 1 + width + n;
      continue;
    case 0xc7:
    case 0xc8:
    case 0xc9:
      width = 1u << (b - 0xc7);
      if (left <= width)
        goto ends;
      n = big_endian(p + 1, width);
      goto extension;
    case 0xca:
    case 0xcb:
      n = 4u << (b - 0xca);
      goto number;
    case 0xcc:
    case 0xcd:
    case 0xce:
    case 0xcf:
      n = 1u << (b - 0xcc);
      goto number;
    case 0xd0:
    case 0xd1:
    case 0xd2:
    case 0xd3:
      n = 1u << (b - 0xd0);
      goto number;
    case 0xd4:
    case 0xd5:
    case 0xd6:
    case 0xd7:
    case 0xd8:
      width = 0;
      if (left == 0)
        goto ends;
      n = 1u << (b - 0xd4);
      goto extension;
    case 0xd9:
    case 0xda:
    case 0xdb:
      width = 1u << (b - 0xd9);
      if (left < width)
        goto ends;
      n = big_endian(p + 1, width);
      goto string;
    case 0xdc:
    case 0xdd:
      width = 2u << (b - 0xdc);
      if (left < width)
        goto ends;
      n = big_endian(p + 1, width);
      goto frame;
    case 0xde:
    case 0xdf:
      width = 2u << (b - 0xde);
      if (left < width)
        goto ends;
      n = 2 * big_endian(p + 1, width);
      goto frame;
    default:
      error = SKIP_BYTE;
      goto done;
    }
  number:
    if (left < n)
      goto ends;
    p += 1 + n;
    continue;
  string: {
    if (n > left - width)
      goto claims;
    bytes body = p + 1 + width;
    size_t good = tern_utf8(body, n);
    if (good != n) {
      p = body + good;
      error = SKIP_UTF8;
      goto done;
    }
    p = body + n;
    continue;
  }
  extension: {
    /* A byte of type stands after the length. */
    if (n > left - width - 1)
      goto claims;
    bytes body = p + 2 + width;
    if (body[-1] == 0xff && !is_timestamp(body, n)) {
      error = SKIP_TIME;
      goto done;
    }
    p = body + n;
    continue;
  }
  frame:
    if (level >= depth) {
      error = SKIP_DEPTH;
      goto done;
    }
    /* Each value has a byte of its own. */
    if (n > left - width)
      goto claims;
    if (seen) {
      bytes after = noting ? NULL : tern_seen_end(seen, p);
      if (after) {
        known += (uint64_t)(after - p);
        p = after;
        continue;
      }
      if (!tern_seen_open(seen, p)) {
        error = SKIP_MEMORY;
        goto done;
      }
      seen->levels[level].wanted = want;
    } else {
      wanted[level] = want;
    }
    level++;
    p += 1 + width;
    want = n;
    continue;
  ends:
    error = SKIP_END;
    goto done;
  claims:
    error = SKIP_CLAIM;
    goto done;
  }
done:
  if (seen)
    seen->stepped += (uint64_t)(p - from) - known;
  *out = error;
  return p;
}

#define SHALLOW 512

/* At most SHALLOW levels are opened, whatever depth says. */
bytes tern_msgpack_skip(bytes p, bytes end, uint64_t depth, uint64_t *out) {
  uint64_t wanted[SHALLOW];
  return skip_value(p, end, depth < SHALLOW ? depth : SHALLOW, wanted, NULL,
                    out);
}

bytes tern_msgpack_skip_deep(bytes p, bytes end, uint64_t depth,
                             uint64_t *wanted, uint64_t *out) {
  return skip_value(p, end, depth, wanted, NULL, out);
}

/* The same by notes, as tern_json_skip_seen has it: object is the frame that is
 * searched. */
bytes tern_msgpack_skip_seen(bytes p, bytes end, uint64_t depth, bytes object,
                             struct seen *seen, uint64_t *out) {
  const int noting = p >= seen->until;
  if (object >= seen->until)
    seen->count = 0;
  const size_t noted = seen->count;
  seen->depth = 0;
  p = skip_value(p, end, depth, NULL, seen, out);
  if (*out != SKIP_OK) {
    seen->count = noted;
  } else if (noting) {
    tern_seen_sort(seen, noted);
    seen->until = p;
  }
  return p;
}
