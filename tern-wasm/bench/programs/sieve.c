// Bytes in memory: the primes below a million, and how many there are.
static unsigned char composite[1000000];
unsigned run(void) {
  unsigned n = 0;
  for (unsigned i = 0; i < 1000000; i++) composite[i] = 0;
  for (unsigned i = 2; i < 1000000; i++)
    if (!composite[i]) {
      n++;
      for (unsigned j = i + i; j < 1000000; j += i) composite[j] = 1;
    }
  return n;
}
