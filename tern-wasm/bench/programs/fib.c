// Calls: 1.3 million of them, each with little to do.
__attribute__((noinline)) unsigned fib(unsigned n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
unsigned run(void) { return fib(30); }
