// Arithmetic on doubles: five bodies, 20,000 steps.
static double p[5][3] = {{0, 0, 0}, {4.84, -1.16, -0.10}, {8.34, 4.12, -0.40}, {12.89, -15.11, -0.22}, {15.37, -25.9, 0.179}};
static double v[5][3] = {{0, 0, 0}, {0.606, 2.81, -0.02}, {-1.01, 1.82, 0.008}, {1.08, 0.868, -0.01}, {0.979, 0.594, -0.034}};
static double m[5] = {39.47, 0.037, 0.011, 0.0017, 0.002};
unsigned run(void) {
  for (int s = 0; s < 20000; s++) {
    for (int i = 0; i < 5; i++)
      for (int j = i + 1; j < 5; j++) {
        double dx = p[i][0] - p[j][0], dy = p[i][1] - p[j][1], dz = p[i][2] - p[j][2];
        double d2 = dx * dx + dy * dy + dz * dz;
        double mag = 0.001 / (d2 * __builtin_sqrt(d2));
        v[i][0] -= dx * m[j] * mag, v[i][1] -= dy * m[j] * mag, v[i][2] -= dz * m[j] * mag;
        v[j][0] += dx * m[i] * mag, v[j][1] += dy * m[i] * mag, v[j][2] += dz * m[i] * mag;
      }
    for (int i = 0; i < 5; i++)
      for (int k = 0; k < 3; k++) p[i][k] += 0.001 * v[i][k];
  }
  return (unsigned)(p[0][0] * 1e9 + 1e9);
}
