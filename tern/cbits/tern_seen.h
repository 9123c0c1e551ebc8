/* Where values end that have been stepped over and are still to be read.
 *
 * Whoever searches an object for a member steps over the values before it, and
 * whoever then reads those values may have to search again, inside them. So a
 * search notes where arrays and objects end, and a search inside what has been
 * searched goes from note to note: each level pays for what is its own.
 *
 * Small containers are not noted: one is where at least OWN bytes of it are
 * outside the noted ones in it. There is thus at most one note for each OWN
 * bytes stepped over, and a byte is stepped over as often as containers of
 * fewer bytes than that fit around it, and twice more.
 */
#ifndef TERN_SEEN_H
#define TERN_SEEN_H

#include <stddef.h>
#include <stdint.h>

#define OWN 64

struct note {
  const uint8_t *start; /* of the opening bracket or brace */
  const uint8_t *end;   /* after the closing one */
};

struct level {
  const uint8_t *start;
  size_t noted;    /* how many bytes are in noted containers */
  uint64_t wanted; /* a word for whoever searches */
};

struct seen {
  int64_t owner;        /* a word of whoever keeps the notes */
  const uint8_t *until; /* how far the notes go */
  struct note *notes;   /* by their starts */
  size_t count, room;
  struct level *levels; /* the open containers of the search that runs */
  size_t depth, deepest;
  uint64_t stepped; /* bytes in all, for tests */
  void *attempts;   /* what Tern.Internal.Attempt keeps */
};

struct seen *tern_seen_new(void);
void tern_seen_free(struct seen *seen);
void **tern_seen_attempts(struct seen *seen);

/* Open and close a container. 0 where there is no memory. */
int tern_seen_open(struct seen *seen, const uint8_t *start);
int tern_seen_close(struct seen *seen, const uint8_t *end, int note);

/* The end of a noted container, or NULL. */
const uint8_t *tern_seen_end(const struct seen *seen, const uint8_t *start);

/* Bring the notes from number `from` on, which came by their ends, into the
 * order of their starts. */
void tern_seen_sort(struct seen *seen, size_t from);

#endif
