/* Bytes as text: base64 and base64url (RFC 4648, sections 4 and 5), hexadecimal
 * digits (section 8), and the groups of a UUID (RFC 9562, section 4).
 *
 * Called from Tern.Prim.Bytes by unsafe foreign calls: nothing here calls back,
 * allocates or keeps state. Only [p, p + n) is read. Time is linear.
 */
#include <stdint.h>

typedef const uint8_t *bytes;

/* What a character stands for, or NONE. */
#define NONE 255

static const uint8_t standard_values[256] = {
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,  62, 255, 255, 255,  63,
     52,  53,  54,  55,  56,  57,  58,  59,  60,  61, 255, 255, 255, 255, 255, 255,
    255,   0,   1,   2,   3,   4,   5,   6,   7,   8,   9,  10,  11,  12,  13,  14,
     15,  16,  17,  18,  19,  20,  21,  22,  23,  24,  25, 255, 255, 255, 255, 255,
    255,  26,  27,  28,  29,  30,  31,  32,  33,  34,  35,  36,  37,  38,  39,  40,
     41,  42,  43,  44,  45,  46,  47,  48,  49,  50,  51, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
};

static const uint8_t url_values[256] = {
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,  62, 255, 255,
     52,  53,  54,  55,  56,  57,  58,  59,  60,  61, 255, 255, 255, 255, 255, 255,
    255,   0,   1,   2,   3,   4,   5,   6,   7,   8,   9,  10,  11,  12,  13,  14,
     15,  16,  17,  18,  19,  20,  21,  22,  23,  24,  25, 255, 255, 255, 255,  63,
    255,  26,  27,  28,  29,  30,  31,  32,  33,  34,  35,  36,  37,  38,  39,  40,
     41,  42,  43,  44,  45,  46,  47,  48,  49,  50,  51, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
};

static const uint8_t hex_values[256] = {
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
      0,   1,   2,   3,   4,   5,   6,   7,   8,   9, 255, 255, 255, 255, 255, 255,
    255,  10,  11,  12,  13,  14,  15, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255,  10,  11,  12,  13,  14,  15, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
};

static const char standard_digits[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static const char url_digits[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
static const char hex_digits[] = "0123456789abcdef";

/* Writes n bytes as base64, padded, or as base64url without padding. */
void tern_base64_write(bytes p, uint64_t n, uint64_t url, uint8_t *out) {
  const char *digits = url ? url_digits : standard_digits;
  uint64_t i = 0;
  for (; i + 3 <= n; i += 3, out += 4) {
    const uint32_t w = (uint32_t)p[i] << 16 | (uint32_t)p[i + 1] << 8 | p[i + 2];
    out[0] = digits[w >> 18];
    out[1] = digits[w >> 12 & 63];
    out[2] = digits[w >> 6 & 63];
    out[3] = digits[w & 63];
  }
  if (i == n)
    return;
  const uint32_t two = n - i == 2;
  const uint32_t w = (uint32_t)p[i] << 16 | (two ? (uint32_t)p[i + 1] << 8 : 0);
  out[0] = digits[w >> 18];
  out[1] = digits[w >> 12 & 63];
  if (two)
    out[2] = digits[w >> 6 & 63];
  if (url)
    return;
  if (!two)
    out[2] = '=';
  out[3] = '=';
}

/* The offset of the first of k characters that stands for nothing. */
static uint64_t first_bad(const uint8_t *values, bytes p, uint64_t k) {
  uint64_t i = 0;
  while (i < k && values[p[i]] != NONE)
    i++;
  return i;
}

/* Reads n characters of base64 or base64url; room for n / 4 * 3 + 2 bytes. Padding
 * may be left away, and bits that do not count are 0. The number of bytes, or
 * -1 - the offset of the first character that is wrong (n, if some are missing). */
int64_t tern_base64_read(bytes p, uint64_t n, uint64_t url, uint8_t *out) {
  const uint8_t *values = url ? url_values : standard_values;
  uint64_t m = n;
  if (n % 4 == 0 && n > 0 && p[n - 1] == '=')
    m = p[n - 2] == '=' ? n - 2 : n - 1;
  const uint8_t *const start = out;
  uint64_t i = 0;
  for (; i + 4 <= m; i += 4, out += 3) {
    const uint8_t a = values[p[i]], b = values[p[i + 1]], c = values[p[i + 2]],
                  d = values[p[i + 3]];
    /* NONE alone has the highest bit. */
    if ((a | b | c | d) & 0x80)
      return -1 - (int64_t)(i + first_bad(values, p + i, 4));
    const uint32_t w = (uint32_t)a << 18 | (uint32_t)b << 12 | (uint32_t)c << 6 | d;
    out[0] = (uint8_t)(w >> 16);
    out[1] = (uint8_t)(w >> 8);
    out[2] = (uint8_t)w;
  }
  const uint64_t left = m - i, good = first_bad(values, p + i, left);
  if (good < left)
    return -1 - (int64_t)(i + good);
  if (left == 0)
    return out - start;
  if (left == 1)
    return -1 - (int64_t)n;
  const uint32_t w = (uint32_t)values[p[i]] << 18 | (uint32_t)values[p[i + 1]] << 12 |
                     (left == 3 ? (uint32_t)values[p[i + 2]] << 6 : 0);
  if (left == 2 ? w & 0xffff : w & 0xff)
    return -1 - (int64_t)(m - 1);
  *out++ = (uint8_t)(w >> 16);
  if (left == 3)
    *out++ = (uint8_t)(w >> 8);
  return out - start;
}

/* Writes n bytes as twice as many hexadecimal digits. */
void tern_hex_write(bytes p, uint64_t n, uint8_t *out) {
  for (uint64_t i = 0; i < n; i++) {
    out[2 * i] = hex_digits[p[i] >> 4];
    out[2 * i + 1] = hex_digits[p[i] & 15];
  }
}

/* Reads n hexadecimal digits of either case; room for n / 2 bytes. The number of bytes,
 * or -1 - the offset of the first character that is wrong (n, if one is missing). */
int64_t tern_hex_read(bytes p, uint64_t n, uint8_t *out) {
  for (uint64_t i = 0; i + 2 <= n; i += 2) {
    const uint8_t a = hex_values[p[i]], b = hex_values[p[i + 1]];
    if ((a | b) & 0x80)
      return -1 - (int64_t)(i + (a != NONE));
    out[i / 2] = (uint8_t)(a << 4 | b);
  }
  if (n % 2)
    return -1 - (int64_t)(hex_values[p[n - 1]] == NONE ? n - 1 : n);
  return (int64_t)(n / 2);
}

/* Half of a UUID's digits, 16 of them, with their hyphens: 18 characters, of which the
 * hyphens stand at first and second. *wrong: 0, or 1 + the offset of the first
 * character that is wrong. */
static uint64_t uuid_half(bytes p, unsigned first, unsigned second, uint64_t *wrong) {
  uint64_t w = 0;
  *wrong = 0;
  for (unsigned i = 0; i < 18; i++) {
    const uint8_t v = hex_values[p[i]];
    if (i == first || i == second ? p[i] != '-' : v == NONE) {
      *wrong = 1 + i;
      return 0;
    }
    if (v != NONE)
      w = w << 4 | v;
  }
  return w;
}

/* Of 36 characters the first 18 and the others. */
uint64_t tern_uuid_high(bytes p, uint64_t *wrong) { return uuid_half(p, 8, 13, wrong); }
uint64_t tern_uuid_low(bytes p, uint64_t *wrong) { return uuid_half(p, 0, 5, wrong); }

/* Writes 36 characters, in small letters. */
void tern_uuid_write(uint64_t high, uint64_t low, uint8_t *out) {
  for (unsigned i = 0; i < 32; i++) {
    if (i == 8 || i == 12 || i == 16 || i == 20)
      *out++ = '-';
    const uint64_t w = i < 16 ? high : low;
    *out++ = hex_digits[w >> (60 - 4 * (i & 15)) & 15];
  }
}
