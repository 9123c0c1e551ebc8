// What a WASI program can reach: what it was given, and no more.
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void try_to_open(const char *path) {
  FILE *f = fopen(path, "r");
  printf("%s: %s\n", path, f ? "open" : strerror(errno));
  if (f) fclose(f);
}

int main(int argc, char **argv) {
  char line[100];
  for (int i = 1; i < argc; i++) printf("argument %s\n", argv[i]);
  printf("NAME is %s, HOME is %s\n", getenv("NAME"), getenv("HOME") ? "known" : "unknown");
  FILE *f = fopen("/data/out.txt", "w");
  if (!f) return 1;
  fprintf(f, "written %.3f\n", 3.14159);
  fclose(f);
  f = fopen("/data/out.txt", "r");
  if (f && fgets(line, sizeof line, f)) printf("read back %s", line);
  fclose(f);
  try_to_open("/data/../secret");
  try_to_open("/data/link");
  try_to_open("/data/missing");
  int n = 0;
  DIR *d = opendir("/data");
  while (d && readdir(d)) n++;
  printf("%d entries\n", n);
  printf("the clock %s\n", time(0) > 1000000 ? "runs" : "stands");
  return 7;
}
