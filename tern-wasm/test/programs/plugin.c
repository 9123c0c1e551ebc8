// A plug-in: counts the words of a text that comes as {"text": "..."} and answers
// {"words": n, "longest": m}. No library: memory is handed out from a growing end.
extern unsigned char __heap_base;
static unsigned used;

__attribute__((export_name("tern_alloc"))) unsigned tern_alloc(unsigned bytes) {
  unsigned at = (unsigned)&__heap_base + used;
  unsigned end = at + bytes, have = __builtin_wasm_memory_size(0) * 65536u;
  if (end > have) __builtin_wasm_memory_grow(0, (end - have + 65535) / 65536);
  used += (bytes + 7) & ~7u;
  return at;
}

static char *decimal(char *to, unsigned n) {
  char digits[10];
  int k = 0;
  do digits[k++] = '0' + n % 10; while (n /= 10);
  while (k) *to++ = digits[--k];
  return to;
}

static char *copy(char *to, const char *from) {
  while (*from) *to++ = *from++;
  return to;
}

__attribute__((export_name("count"))) unsigned long long count(unsigned at, unsigned bytes) {
  const char *p = (const char *)at, *end = p + bytes;
  unsigned words = 0, longest = 0, here = 0, quotes = 0;
  for (; p < end; p++) {
    if (*p == '"') { quotes++; if (quotes == 4) break; continue; }
    if (quotes < 3) continue;
    if (*p == ' ') here = 0;
    else if (++here == 1) words++;
    if (here > longest) longest = here;
  }
  char *answer = (char *)tern_alloc(64), *to = answer;
  to = copy(to, "{\"words\": ");
  to = decimal(to, words);
  to = copy(to, ", \"longest\": ");
  to = decimal(to, longest);
  to = copy(to, "}");
  return (unsigned long long)(unsigned)answer << 32 | (unsigned)(to - answer);
}

// Speaks of memory that it does not have.
__attribute__((export_name("lies"))) unsigned long long lies(unsigned at, unsigned bytes) {
  (void)at; (void)bytes;
  return 0xFFFFFFF0FFFFFFF0ull;
}
