//! How long a ban or mute lasts, as its form asks.

use crate::fields::Fields;

/// Seconds of a day, the unit unless another one is chosen: too long is noticed and corrected sooner than too
/// short.
pub(super) const DAY: &str = "86400";
/// Choices of the form: seconds, words.
pub(super) const CHOICES: [(&str, &str); 6] = [
    ("3600", "1 hour"),
    (DAY, "1 day"),
    ("259200", "3 days"),
    ("604800", "7 days"),
    ("2592000", "30 days"),
    ("ever", "Permanent"),
];
/// Units of a length of one's own: seconds, words.
pub(super) const UNITS: [(&str, &str); 4] =
    [("60", "minutes"), ("3600", "hours"), (DAY, "days"), ("604800", "weeks")];

/// Seconds, `None`: permanent; or the field and its error.
pub(super) fn read(form: &Fields) -> Result<Option<i64>, (&'static str, &'static str)> {
    match form.text("length") {
        "ever" => Ok(None),
        "own" => {
            let amount = form.read::<i64>("amount").filter(|amount| *amount > 0);
            let unit = form.read::<i64>("unit").filter(|unit| *unit > 0);
            let seconds = amount.zip(unit).map(|(amount, unit)| amount.saturating_mul(unit));
            seconds.map(Some).ok_or(("amount", "Give a whole number above 0."))
        }
        seconds => match seconds.parse() {
            Ok(seconds) if seconds > 0 => Ok(Some(seconds)),
            _ => Err(("length", "Choose how long it lasts.")),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_is_a_choice_or_ones_own() {
        let of = |pairs: &[(&str, &str)]| read(&Fields::of(pairs));
        assert_eq!(of(&[("length", "86400")]), Ok(Some(86_400)));
        assert_eq!(of(&[("length", "ever"), ("amount", "3")]), Ok(None));
        assert_eq!(of(&[("length", "own"), ("amount", "3"), ("unit", "60")]), Ok(Some(180)));
        for bad in [&[][..], &[("length", "-1")], &[("length", "x")], &[("length", "own")]] {
            assert!(of(bad).is_err(), "{bad:?}");
        }
        let large = [("length", "own"), ("amount", "9223372036854775807"), ("unit", "60")];
        assert_eq!(of(&large), Ok(Some(i64::MAX)));
        let nothing = of(&[("length", "own"), ("amount", "0"), ("unit", "60")]);
        assert_eq!(nothing.unwrap_err().0, "amount");
    }
}
