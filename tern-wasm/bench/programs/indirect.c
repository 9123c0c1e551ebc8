// Calls through a table: three million of them.
typedef unsigned (*f)(unsigned);
static unsigned f0(unsigned x) { return x + 1; }
static unsigned f1(unsigned x) { return x ^ 0x55; }
static unsigned f2(unsigned x) { return x * 3; }
static unsigned f3(unsigned x) { return x >> 1; }
static f volatile table[4] = {f0, f1, f2, f3};
unsigned run(void) {
  unsigned x = 1;
  for (unsigned i = 0; i < 3000000; i++) x = table[(x ^ i) & 3](x);
  return x;
}
