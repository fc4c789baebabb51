//! Texts of times, durations and counts.

use std::fmt;

use chrono::TimeDelta;
use entities::Timestamp;

/// "22 Nov 2026, 12:00 UTC": for texts that have no element for the time.
pub fn exact(at: Timestamp) -> String {
    at.format("%-d %b %Y, %H:%M UTC").to_string()
}

/// A length of time in its largest unit.
#[derive(Debug, Clone, Copy)]
pub struct Length(pub TimeDelta);

impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0.num_seconds().max(0);
        match seconds {
            0..60 => write!(f, "{seconds} s"),
            60..3_600 => write!(f, "{} min", (seconds + 30) / 60),
            3_600..86_400 => write!(f, "{} h", (seconds + 1_800) / 3_600),
            _ => write!(f, "{}", Count((seconds + 43_200) / 86_400, "day")),
        }
    }
}

/// "1 member", "1,204 members".
#[derive(Debug, Clone, Copy)]
pub struct Count<N>(pub N, pub &'static str);

impl<N: Copy + fmt::Display + PartialEq + From<u8>> fmt::Display for Count<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.0 == N::from(1) { "" } else { "s" };
        write!(f, "{} {}{plural}", Number(self.0), self.1)
    }
}

/// 1,204,000
#[derive(Debug, Clone, Copy)]
pub struct Number<N>(pub N);

impl<N: fmt::Display> fmt::Display for Number<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.0.to_string();
        let (sign, digits) = text.split_at(text.len() - text.trim_start_matches('-').len());
        f.write_str(sign)?;
        for (digit, left) in digits.chars().zip((0..digits.len()).rev()) {
            write!(f, "{digit}")?;
            if left > 0 && left.is_multiple_of(3) {
                f.write_str(",")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_groups() {
        assert_eq!(
            [0, 999, 1_204, 1_000_000, -1_204].map(|n| Number(n).to_string()),
            ["0", "999", "1,204", "1,000,000", "-1,204"]
        );
        assert_eq!(
            (Count(1, "member").to_string(), Count(1_204, "member").to_string()),
            ("1 member".to_owned(), "1,204 members".to_owned())
        );
    }
}
