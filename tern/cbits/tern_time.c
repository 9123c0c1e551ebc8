/* Dates and times as text: RFC 3339, and what aeson takes beside it.
 *
 * Called from Tern.Prim.Time by unsafe foreign calls: nothing here calls back,
 * allocates or keeps state. Only [p, end) is read.
 *
 * Days are those of the proleptic Gregorian calendar, counted from 1858-11-17 as
 * the package time counts them. Years are those of -999,999,999 to 999,999,999.
 * Days are found from dates, and dates from days, by the eras of 400 years, each
 * of 146,097 days, that begin on the first of March.
 */
#include <stdint.h>

typedef const uint8_t *bytes;

/* Which parts a text has. */
enum part { DATE = 1, TIME = 2, ZONE = 4, MONTH = 8, QUARTER = 16 };

/* What should have stood where a text is wrong; Tern.Prim.Time has the words. */
enum wanted {
  A_YEAR = 1,
  A_HYPHEN,
  A_MONTH,
  A_DAY,
  A_T,
  AN_HOUR,
  A_COLON,
  A_MINUTE,
  A_SECOND,
  A_DIGIT,
  AN_OFFSET,
  A_QUARTER,
  THE_END
};

static const int64_t most_years = 999999999;

/* The days from 0000-03-01 to 1858-11-17. */
#define ORIGIN 678881

static int64_t day_of(int64_t year, int64_t month, int64_t day) {
  const int64_t y = year - (month <= 2);
  const int64_t era = (y >= 0 ? y : y - 399) / 400;
  const int64_t of_era = y - era * 400;
  const int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - ORIGIN;
}

static void date_of(int64_t mjd, int64_t *year, int64_t *month, int64_t *day) {
  const int64_t z = mjd + ORIGIN;
  const int64_t era = (z >= 0 ? z : z - 146096) / 146097;
  const int64_t of_era = z - era * 146097;
  const int64_t y = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  const int64_t of_year = of_era - (365 * y + y / 4 - y / 100);
  const int64_t m = (5 * of_year + 2) / 153;
  *day = of_year - (153 * m + 2) / 5 + 1;
  *month = m + (m < 10 ? 3 : -9);
  *year = y + era * 400 + (*month <= 2);
}

static int64_t days_in(int64_t year, int64_t month) {
  if (month == 2)
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28;
  return 30 + ((month + (month >> 3)) & 1);
}

static inline int is_digit(bytes p, bytes end) { return p < end && (uint8_t)(*p - '0') < 10; }

/* Two digits, or -1. */
static inline int64_t two(bytes p, bytes end) {
  return is_digit(p, end) && is_digit(p + 1, end) ? (p[0] - '0') * 10 + (p[1] - '0') : -1;
}

#define WRONG(at, what) return -1 - ((int64_t)((at)-start) << 4 | (what))

/* The text that is all of [p, end), of some parts. A day's, month's or quarter's number,
 * an hour, a minute and an offset, packed as below; *picos is the picoseconds of the
 * minute. Or -1 - (the offset of what is wrong * 16 + what should have stood there). */
int64_t tern_time_read(bytes p, bytes end, uint64_t parts, uint64_t *picos) {
  const bytes start = p;
  int64_t number = 0, hour = 0, minute = 0, offset = 0;
  *picos = 0;
  if (parts & (DATE | MONTH | QUARTER)) {
    const int minus = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+'))
      p++;
    const bytes digits = p;
    int64_t year = 0;
    while (is_digit(p, end)) {
      year = year * 10 + (*p++ - '0');
      if (year > most_years)
        WRONG(digits, A_YEAR);
    }
    if (p - digits < 4)
      WRONG(digits, A_YEAR);
    if (minus)
      year = -year;
    if (p == end || *p != '-')
      WRONG(p, A_HYPHEN);
    p++;
    if (parts & QUARTER) {
      if (end - p < 2 || (p[0] != 'q' && p[0] != 'Q') || p[1] < '1' || p[1] > '4')
        WRONG(p, A_QUARTER);
      number = year * 4 + (p[1] - '1');
      p += 2;
    } else {
      const int64_t month = two(p, end);
      if (month < 1 || month > 12)
        WRONG(p, A_MONTH);
      p += 2;
      number = year * 12 + month - 1;
      if (parts & DATE) {
        if (p == end || *p != '-')
          WRONG(p, A_HYPHEN);
        p++;
        const int64_t day = two(p, end);
        if (day < 1 || day > days_in(year, month))
          WRONG(p, A_DAY);
        p += 2;
        number = day_of(year, month, day);
      }
    }
  }
  if ((parts & DATE) && (parts & TIME)) {
    if (p == end || (*p != 'T' && *p != ' '))
      WRONG(p, A_T);
    p++;
  }
  if (parts & TIME) {
    hour = two(p, end);
    if (hour < 0 || hour > 23)
      WRONG(p, AN_HOUR);
    p += 2;
    if (p == end || *p != ':')
      WRONG(p, A_COLON);
    p++;
    minute = two(p, end);
    if (minute < 0 || minute > 59)
      WRONG(p, A_MINUTE);
    p += 2;
    if (p < end && *p == ':') {
      p++;
      const int64_t second = two(p, end);
      if (second < 0 || second > 60)
        WRONG(p, A_SECOND);
      p += 2;
      uint64_t fraction = 0, left = 12;
      if (p < end && *p == '.') {
        p++;
        if (!is_digit(p, end))
          WRONG(p, A_DIGIT);
        /* Digits after the twelfth count for nothing. */
        for (; is_digit(p, end); p++)
          if (left > 0) {
            fraction = fraction * 10 + (uint64_t)(*p - '0');
            left--;
          }
      }
      for (; left > 0; left--)
        fraction *= 10;
      *picos = (uint64_t)second * 1000000000000 + fraction;
    }
  }
  if (parts & ZONE) {
    if (p < end && *p == ' ')
      p++;
    if (p == end || (*p != 'Z' && *p != '+' && *p != '-'))
      WRONG(p, AN_OFFSET);
    const bytes sign = p++;
    if (*sign != 'Z') {
      const int64_t hours = two(p, end);
      if (hours < 0 || hours > 23)
        WRONG(sign, AN_OFFSET);
      p += 2;
      int64_t minutes = 0;
      if (p < end && (*p == ':' || is_digit(p, end))) {
        p += *p == ':';
        minutes = two(p, end);
        if (minutes < 0 || minutes > 59)
          WRONG(sign, AN_OFFSET);
        p += 2;
      }
      offset = hours * 60 + minutes;
      if (*sign == '-')
        offset = -offset;
    }
  }
  if (p < end)
    WRONG(p, THE_END);
  return (number + ((int64_t)1 << 39)) << 23 | hour << 18 | minute << 12 | (offset + 2048);
}

/* The last count digits, with zeros in front. */
static uint8_t *digits(uint8_t *op, uint64_t n, unsigned count) {
  for (unsigned i = count; i > 0; i--, n /= 10)
    op[i - 1] = (uint8_t)('0' + n % 10);
  return op + count;
}

static uint8_t *year_to(uint8_t *op, int64_t year) {
  if (year < 0) {
    *op++ = '-';
    year = -year;
  }
  unsigned count = 4;
  for (int64_t power = 10000; year >= power; power *= 10)
    count++;
  return digits(op, (uint64_t)year, count);
}

/* Writes the parts of a text: at most 48 bytes. The number is a day's, a month's or a
 * quarter's, of a year within the bounds; minute is that of the day. Returns the address
 * after the text. */
uint8_t *tern_time_write(uint8_t *op, uint64_t parts, int64_t number, int64_t minute,
                         uint64_t picos, int64_t offset) {
  if (parts & QUARTER) {
    const int64_t year = (number >= 0 ? number : number - 3) / 4;
    op = year_to(op, year);
    *op++ = '-';
    *op++ = 'q';
    *op++ = (uint8_t)('1' + number - year * 4);
  }
  if (parts & MONTH) {
    const int64_t year = (number >= 0 ? number : number - 11) / 12;
    op = year_to(op, year);
    *op++ = '-';
    op = digits(op, (uint64_t)(number - year * 12 + 1), 2);
  }
  if (parts & DATE) {
    int64_t year, month, day;
    date_of(number, &year, &month, &day);
    op = year_to(op, year);
    *op++ = '-';
    op = digits(op, (uint64_t)month, 2);
    *op++ = '-';
    op = digits(op, (uint64_t)day, 2);
  }
  if ((parts & DATE) && (parts & TIME))
    *op++ = 'T';
  if (parts & TIME) {
    op = digits(op, (uint64_t)minute / 60, 2);
    *op++ = ':';
    op = digits(op, (uint64_t)minute % 60, 2);
    *op++ = ':';
    op = digits(op, picos / 1000000000000, 2);
    uint64_t fraction = picos % 1000000000000;
    if (fraction) {
      unsigned count = 12;
      for (; fraction % 1000 == 0; fraction /= 1000)
        count -= 3;
      for (; fraction % 10 == 0; fraction /= 10)
        count--;
      *op++ = '.';
      op = digits(op, fraction, count);
    }
  }
  if (parts & ZONE) {
    if (offset == 0) {
      *op++ = 'Z';
    } else {
      *op++ = offset < 0 ? '-' : '+';
      const uint64_t size = (uint64_t)(offset < 0 ? -offset : offset);
      op = digits(op, size / 60, 2);
      *op++ = ':';
      op = digits(op, size % 60, 2);
    }
  }
  return op;
}
