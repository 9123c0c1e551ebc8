// Arithmetic on 64 bits: two million rounds of a mixing function.
unsigned run(void) {
  unsigned long long x = 0, a = 0;
  for (int i = 0; i < 2000000; i++) {
    x += 0x9e3779b97f4a7c15ULL;
    unsigned long long z = x;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    a ^= z ^ (z >> 31);
    a = (a << 13) | (a >> 51);
  }
  return (unsigned)(a ^ (a >> 32));
}
