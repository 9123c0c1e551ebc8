// Branches that cannot be foreseen: 200,000 numbers sorted.
static int a[200000];
static void sort(int lo, int hi) {
  while (lo < hi) {
    int p = a[(lo + hi) / 2], i = lo, j = hi;
    while (i <= j) {
      while (a[i] < p) i++;
      while (a[j] > p) j--;
      if (i <= j) {
        int t = a[i];
        a[i++] = a[j];
        a[j--] = t;
      }
    }
    if (j - lo < hi - i) {
      sort(lo, j);
      lo = i;
    } else {
      sort(i, hi);
      hi = j;
    }
  }
}
unsigned run(void) {
  unsigned x = 12345;
  for (int i = 0; i < 200000; i++) {
    x = x * 1664525 + 1013904223;
    a[i] = (int)(x >> 4);
  }
  sort(0, 199999);
  return a[100000];
}
