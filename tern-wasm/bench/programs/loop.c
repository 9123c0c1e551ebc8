// The loop of article 001. Compiled without optimisation: 20 instructions a turn.
unsigned int i;
unsigned int run(void) {
  i = 1024 * 1024;
  while (i--) {
  }
  return i;
}
