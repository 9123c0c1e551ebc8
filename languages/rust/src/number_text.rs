//! Exact numbers as JSON has them, by rule 39 of `docs/spec/json-mapping.md`.

use num_bigint::{BigInt, Sign};
use std::cmp::Ordering;

/// The text of `number * 10 ^ power`.
pub(crate) fn put_number(out: &mut String, number: &BigInt, power: i64) {
    if number.sign() == Sign::Minus {
        out.push('-');
    }
    let digits = number.magnitude().to_string();
    if (0..=1024).contains(&power) {
        out.push_str(&digits);
        if number.sign() != Sign::NoSign {
            out.push_str(&"0".repeat(power as usize));
        }
        return;
    }
    // The number is 0.DIGITS * 10^point.
    let point = digits.len() as i128 + i128::from(power);
    if point == 0 {
        out.push_str("0.");
        out.push_str(&digits);
    } else if (1..=7).contains(&point) {
        let (whole, rest) = digits.split_at(point as usize);
        out.push_str(&format!("{whole}.{rest}"));
    } else {
        let (first, rest) = digits.split_at(1);
        out.push_str(&format!("{first}.{}e{}", if rest.is_empty() { "0" } else { rest }, point - 1));
    }
}

/// The text of so many parts of one: exact, where tenths of tenths come to the part; else rounded
/// up, at a place at which it is read as the same.
pub(crate) fn put_units(out: &mut String, number: &BigInt, units: &BigInt) {
    let ten = |power: u32| BigInt::from(10).pow(power);
    let double: BigInt = units * 2 - 1;
    let places = double.to_string().len() as u32;
    let exact = (0..=places).find(|place| &ten(*place) % units == BigInt::ZERO);
    let (scaled, place) = match exact {
        Some(place) => (number * (ten(place) / units), place),
        None => {
            let large = -number * ten(places + 1);
            let rest: BigInt = ((&large % units) + units) % units;
            (-((large - rest) / units), places + 1)
        }
    };
    let (digits, power) = normal(&scaled.to_string(), -i128::from(place));
    put_number(out, &digits, power as i64);
}

/// Without zeros at the end of the digits; 0 has the power 0.
fn normal(digits: &str, power: i128) -> (BigInt, i128) {
    let bare = digits.trim_end_matches('0');
    match bare.parse::<BigInt>() {
        Ok(number) if number != BigInt::ZERO => (number, power + (digits.len() - bare.len()) as i128),
        _ => (BigInt::ZERO, 0),
    }
}

/// The digits, without zeros at their end, and the power of ten of a number's text.
pub(crate) fn read(text: &str) -> Option<(BigInt, i128)> {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    let bare = whole.strip_prefix('-').unwrap_or(whole);
    let are_digits = |some: &str| !some.is_empty() && some.bytes().all(|one| one.is_ascii_digit());
    if !are_digits(bare) || !are_digits(fraction) || exponent.len() > 30 {
        return None;
    }
    let exponent: i128 = exponent.parse().ok()?;
    Some(normal(&format!("{whole}{fraction}"), exponent - fraction.len() as i128))
}

/// How many parts of one a number is, rounded down. None for what has more than 1024 digits or so.
pub(crate) fn read_units(text: &str, units: &BigInt) -> Option<BigInt> {
    let (digits, power) = read(text)?;
    if power > 1024 {
        return None;
    }
    if power >= 0 {
        return Some(digits * BigInt::from(10).pow(power as u32) * units);
    }
    if -power > (digits.magnitude().to_string().len() + units.to_string().len()) as i128 {
        return Some(if digits.sign() == Sign::Minus { BigInt::from(-1) } else { BigInt::ZERO });
    }
    let divisor = BigInt::from(10).pow(-power as u32);
    let product = digits * units;
    let rest: BigInt = ((&product % &divisor) + &divisor) % &divisor;
    Some((product - rest) / divisor)
}

/// Which of two numbers, each of digits and a power of ten, is the lower one. The digits are not
/// worked out: where the two are of other sizes, these decide.
pub(crate) fn compare(a: (&BigInt, i64), b: (&BigInt, i64)) -> Ordering {
    if a.0.sign() != b.0.sign() || a.0.sign() == Sign::NoSign {
        return a.0.sign().cmp(&b.0.sign());
    }
    let size = |(digits, power): (&BigInt, i64)| digits.bits() as f64 * std::f64::consts::LOG10_2 + power as f64;
    // Both are right to a digit, and to as many units as a real of that size is off.
    let (m, n) = (size(a), size(b));
    let larger = if (m - n).abs() > 2.0 + (m.abs() + n.abs()) * f64::EPSILON * 4.0 {
        m.total_cmp(&n)
    } else {
        let apart = i128::from(a.1) - i128::from(b.1);
        let ten = |power: i128| num_bigint::BigUint::from(10u32).pow(u32::try_from(power.max(0)).unwrap_or(u32::MAX));
        (a.0.magnitude() * ten(apart)).cmp(&(b.0.magnitude() * ten(-apart)))
    };
    if a.0.sign() == Sign::Minus {
        larger.reverse()
    } else {
        larger
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_compared_by_what_they_are() {
        let ascending = [
            "-1e400", "-12", "-1.5", "-1.23", "-5e-400", "0", "7e-400", "1e-3", "1.2", "1.23", "2", "10", "1e30",
            "1e400",
        ];
        let read: Vec<(BigInt, i64)> =
            ascending.iter().map(|text| read(text).unwrap()).map(|(d, p)| (d, p as i64)).collect();
        for (i, a) in read.iter().enumerate() {
            for (j, b) in read.iter().enumerate() {
                assert_eq!(compare((&a.0, a.1), (&b.0, b.1)), i.cmp(&j), "{} {}", ascending[i], ascending[j]);
            }
        }
        let one = BigInt::from(1);
        assert_eq!(compare((&one, i64::MIN), (&one, i64::MAX)), Ordering::Less);
    }

    #[test]
    fn texts_are_those_of_the_specification() {
        for (text, shown) in [
            ("1.50", "1.5"),
            ("1e7", "10000000"),
            ("0.005", "5.0e-3"),
            ("123456789e-1", "1.23456789e7"),
            ("-0", "0"),
            ("1e1025", "1.0e1025"),
        ] {
            let (digits, power) = read(text).unwrap();
            let mut out = String::new();
            put_number(&mut out, &digits, power as i64);
            assert_eq!(out, shown);
        }
        let mut out = String::new();
        put_units(&mut out, &BigInt::from(1), &BigInt::from(60));
        assert_eq!(out, "1.67e-2");
        assert_eq!(read_units(&out, &BigInt::from(60)), Some(BigInt::from(1)));
        assert_eq!(read_units("-1e-5000", &BigInt::from(60)), Some(BigInt::from(-1)));
    }
}
