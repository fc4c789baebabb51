//! Measured figures beside their targets, printed as they arrive.

/// Counts the figures that miss their target.
#[derive(Debug, Default)]
pub(crate) struct Figures {
    missed: usize,
}

impl Figures {
    /// A heading for the figures that follow.
    pub(crate) fn heading(text: &str) {
        println!("\n{text}");
    }

    /// A figure without a target.
    pub(crate) fn report(what: &str, value: f64) {
        println!("  {what:<64} {value:>10.3}");
    }

    pub(crate) fn at_most(&mut self, what: &str, value: f64, most: f64) {
        self.check(what, value, value <= most, &format!("at most {most}"));
    }

    pub(crate) fn at_least(&mut self, what: &str, value: f64, least: f64) {
        self.check(what, value, value >= least, &format!("at least {least}"));
    }

    /// A figure that is not a number misses every target.
    fn check(&mut self, what: &str, value: f64, met: bool, target: &str) {
        self.missed += usize::from(!met);
        println!("  {what:<64} {value:>10.3}  {target}{}", if met { "" } else { "  MISSED" });
    }

    /// Whether all targets were met.
    pub(crate) fn conclude(&self) -> bool {
        match self.missed {
            0 => println!("\nall targets met"),
            missed => println!("\n{missed} targets missed"),
        }
        self.missed == 0
    }
}

/// The value that `percent` of the numbers do not exceed.
pub(crate) fn percentile(numbers: &[f64], percent: usize) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let index = (sorted.len() * percent / 100).min(sorted.len().saturating_sub(1));
    sorted.get(index).copied().unwrap_or(0.0)
}

#[expect(clippy::cast_precision_loss, reason = "counts of a bench are small")]
pub(crate) fn float(count: usize) -> f64 {
    count as f64
}
