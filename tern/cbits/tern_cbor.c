/* Stepping over a CBOR item (RFC 8949), and counting what a frame without a
 * length holds.
 *
 * Called from Tern.Prim.Cbor by unsafe foreign calls: nothing here calls back,
 * and only the searches with notes (tern_seen.h) allocate or keep state. Only
 * [p, end) is read.
 *
 * All of an item is checked: it is well-formed as the RFC's appendix C says, and
 * its text is UTF-8, chunk by chunk. No recursion: an array of counts says how
 * many items each open level still wants; a frame that ends with a break wants
 * one of three numbers that no count reaches. Each turn of the loop takes a byte
 * at least, so that time is linear whatever the heads claim.
 */
#include "tern_seen.h"

typedef const uint8_t *bytes;

size_t tern_utf8(bytes p, size_t n);

enum skip_error {
  SKIP_OK = 0,
  SKIP_END = 1,    /* the input ends within a head or before an item */
  SKIP_BYTE = 2,   /* a reserved head, or a break where none may stand */
  SKIP_DEPTH = 3,  /* more levels than allowed */
  SKIP_CLAIM = 4,  /* a head claims more than what is left */
  SKIP_UTF8 = 5,   /* ill-formed UTF-8 in a text */
  SKIP_CHUNK = 6,  /* in a string without a length: no chunk of its kind */
  SKIP_MEMORY = 7, /* no memory for notes */
  SKIP_LARGE = 8   /* counted, and the frame has LARGE bytes or more */
};

/* What a level wants that ends with a break: array elements, a map's next key,
 * a map's next value. */
#define ELEMENTS UINT64_MAX
#define KEY (UINT64_MAX - 1)
#define VALUE (UINT64_MAX - 2)

#define BREAK 0xff

static inline uint64_t big_endian(bytes p, unsigned n) {
  uint64_t w = 0;
  for (unsigned i = 0; i < n; i++)
    w = w << 8 | p[i];
  return w;
}

/* From the first chunk of a string to after its break, or to what is wrong. */
static bytes skip_chunks(bytes p, bytes end, unsigned major, unsigned *error) {
  for (;;) {
    if (p >= end) {
      *error = SKIP_END;
      return p;
    }
    if (*p == BREAK)
      return p + 1;
    const unsigned info = *p & 31;
    if ((unsigned)(*p >> 5) != major || info > 27) {
      *error = SKIP_CHUNK;
      return p;
    }
    uint64_t left = (uint64_t)(end - p) - 1, n = info;
    if (info > 23) {
      const unsigned width = 1u << (info - 24);
      if (left < width) {
        *error = SKIP_END;
        return p;
      }
      n = big_endian(p + 1, width);
      left -= width;
    }
    if (n > left) {
      *error = SKIP_CLAIM;
      return p;
    }
    bytes body = end - left;
    if (major == 3) {
      const size_t good = tern_utf8(body, n);
      if (good != n) {
        *error = SKIP_UTF8;
        return body + good;
      }
    }
    p = body + n;
  }
}

/* Steps over what is wanted from p on: one item, with want 1; with ELEMENTS or
 * KEY the rest of a frame up to its break, counting what it holds itself.
 * depth: how many more levels may be opened; wanted: a count for each of them,
 * or seen: notes, which keep the levels themselves. Returns the address after
 * it, or that of the item that is wrong (of a text's first bad byte); *out says
 * what it is. */
__attribute__((always_inline)) static inline bytes
skip_items(bytes p, bytes end, uint64_t want, uint64_t depth, uint64_t *wanted,
           struct seen *seen, uint64_t *count, uint64_t *out) {
  const bytes from = p;
  const int noting = seen && p >= seen->until;
  uint64_t level = 0, known = 0, counted = 0;
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
    if (p >= end) {
      error = SKIP_END;
      goto done;
    }
    const uint8_t b = *p;
    if (b == BREAK) {
      if (want != ELEMENTS && want != KEY) {
        error = SKIP_BYTE;
        goto done;
      }
      p++;
      want = 0;
      continue;
    }
    counted += level == 0;
    if (want < VALUE)
      want--;
    else if (want == KEY)
      want = VALUE;
    else if (want == VALUE)
      want = KEY;
    const unsigned major = b >> 5, info = b & 31;
    uint64_t left = (uint64_t)(end - p) - 1, n = info, inner;
    if (info > 23) {
      if (info == 31 && major >= 2 && major <= 5) {
        if (major < 4) {
          p = skip_chunks(p + 1, end, major, &error);
          if (error != SKIP_OK)
            goto done;
          continue;
        }
        inner = major == 4 ? ELEMENTS : KEY;
        goto frame;
      }
      if (info > 27) {
        error = SKIP_BYTE;
        goto done;
      }
      const unsigned width = 1u << (info - 24);
      if (left < width) {
        error = SKIP_END;
        goto done;
      }
      n = big_endian(p + 1, width);
      left -= width;
    }
    bytes body = end - left;
    switch (major) {
    case 2:
      if (n > left)
        goto claims;
      p = body + n;
      continue;
    case 3: {
      if (n > left)
        goto claims;
      const size_t good = tern_utf8(body, n);
      if (good != n) {
        p = body + good;
        error = SKIP_UTF8;
        goto done;
      }
      p = body + n;
      continue;
    }
    case 4:
      /* Each item has a byte of its own. */
      if (n > left)
        goto claims;
      inner = n;
      goto frame;
    case 5:
      if (n > left / 2)
        goto claims;
      inner = 2 * n;
      goto frame;
    case 6:
      inner = 1;
      goto frame;
    case 7:
      if (info == 24 && n < 32) {
        error = SKIP_BYTE;
        goto done;
      }
      p = body;
      continue;
    default:
      p = body;
      continue;
    }
  frame:
    if (level >= depth) {
      error = SKIP_DEPTH;
      goto done;
    }
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
    p = end - left;
    want = inner;
    continue;
  claims:
    error = SKIP_CLAIM;
    goto done;
  }
done:
  if (seen)
    seen->stepped += (uint64_t)(p - from) - known;
  *count = counted;
  *out = error;
  return p;
}

#define SHALLOW 512

/* Frames of fewer bytes are counted without notes. */
#define LARGE 256

/* At most SHALLOW levels are opened, whatever depth says. */
bytes tern_cbor_skip(bytes p, bytes end, uint64_t depth, uint64_t *out) {
  uint64_t wanted[SHALLOW], count;
  return skip_items(p, end, 1, depth < SHALLOW ? depth : SHALLOW, wanted, NULL,
                    &count, out);
}

bytes tern_cbor_skip_deep(bytes p, bytes end, uint64_t depth, uint64_t *wanted,
                          uint64_t *out) {
  uint64_t count;
  return skip_items(p, end, 1, depth, wanted, NULL, &count, out);
}

/* A search with notes, of the frame that begins at object, from p on. */
static bytes skip_seen(bytes p, bytes end, uint64_t want, uint64_t depth,
                       bytes object, struct seen *seen, uint64_t *count,
                       uint64_t *out) {
  const int noting = p >= seen->until;
  if (object >= seen->until)
    seen->count = 0;
  const size_t noted = seen->count;
  seen->depth = 0;
  p = skip_items(p, end, want, depth, NULL, seen, count, out);
  if (*out != SKIP_OK) {
    seen->count = noted;
  } else if (noting) {
    tern_seen_sort(seen, noted);
    seen->until = p;
  }
  return p;
}

/* The same by notes, as tern_json_skip_seen has it: object is the frame that is
 * searched. */
bytes tern_cbor_skip_seen(bytes p, bytes end, uint64_t depth, bytes object,
                          struct seen *seen, uint64_t *out) {
  uint64_t count;
  return skip_seen(p, end, 1, depth, object, seen, &count, out);
}

static inline uint64_t wanted_by(bytes frame) {
  return *frame >> 5 == 4 ? ELEMENTS : KEY;
}

/* How many items there are in the frame at p, which ends with a break; a map's
 * pair is two. *out is SKIP_OK or SKIP_LARGE, or what is wrong, and then the
 * result is the address of it. */
uint64_t tern_cbor_count(bytes p, bytes end, uint64_t depth, uint64_t *out) {
  uint64_t wanted[SHALLOW], count;
  bytes after =
      skip_items(p + 1, end, wanted_by(p), depth < SHALLOW ? depth : SHALLOW,
                 wanted, NULL, &count, out);
  if (*out != SKIP_OK)
    return (uint64_t)after;
  if (after - p >= LARGE)
    *out = SKIP_LARGE;
  return count;
}

/* The same by notes. */
uint64_t tern_cbor_count_seen(bytes p, bytes end, uint64_t depth,
                              struct seen *seen, uint64_t *out) {
  uint64_t count;
  bytes after =
      skip_seen(p + 1, end, wanted_by(p), depth, p, seen, &count, out);
  return *out == SKIP_OK ? count : (uint64_t)after;
}
