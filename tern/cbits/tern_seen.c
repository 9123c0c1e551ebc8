/* The notes of tern_seen.h: two arrays, which grow. */
#include "tern_seen.h"

#include <stdlib.h>

struct seen *tern_seen_new(void) { return calloc(1, sizeof(struct seen)); }

void tern_seen_free(struct seen *seen) {
  free(seen->notes);
  free(seen->levels);
  free(seen);
}

void **tern_seen_attempts(struct seen *seen) { return &seen->attempts; }

uint64_t tern_seen_stepped(const struct seen *seen) { return seen->stepped; }

/* Room for one more of `used` things of a size. 0 where there is none. */
static int grown(void **things, size_t used, size_t *room, size_t size) {
  if (used < *room)
    return 1;
  size_t wanted = *room ? 2 * *room : 64;
  if (wanted > SIZE_MAX / size)
    return 0;
  void *more = realloc(*things, wanted * size);
  if (!more)
    return 0;
  *things = more;
  *room = wanted;
  return 1;
}

int tern_seen_open(struct seen *seen, const uint8_t *start) {
  void *levels = seen->levels;
  int ok = grown(&levels, seen->depth, &seen->deepest, sizeof(struct level));
  seen->levels = levels;
  if (!ok)
    return 0;
  seen->levels[seen->depth++] = (struct level){start, 0, 0};
  return 1;
}

int tern_seen_close(struct seen *seen, const uint8_t *end, int note) {
  struct level level = seen->levels[--seen->depth];
  size_t size = (size_t)(end - level.start);
  if (note && size - level.noted >= OWN) {
    void *notes = seen->notes;
    int ok = grown(&notes, seen->count, &seen->room, sizeof(struct note));
    seen->notes = notes;
    if (!ok)
      return 0;
    seen->notes[seen->count++] = (struct note){level.start, end};
    level.noted = size;
  }
  if (seen->depth)
    seen->levels[seen->depth - 1].noted += level.noted;
  return 1;
}

const uint8_t *tern_seen_end(const struct seen *seen, const uint8_t *start) {
  size_t low = 0, high = seen->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (seen->notes[middle].start < start)
      low = middle + 1;
    else
      high = middle;
  }
  return low < seen->count && seen->notes[low].start == start
             ? seen->notes[low].end
             : NULL;
}

static int by_start(const void *a, const void *b) {
  const uint8_t *x = ((const struct note *)a)->start;
  const uint8_t *y = ((const struct note *)b)->start;
  return (x > y) - (x < y);
}

void tern_seen_sort(struct seen *seen, size_t from) {
  if (seen->count > from + 1)
    qsort(seen->notes + from, seen->count - from, sizeof(struct note),
          by_start);
}
