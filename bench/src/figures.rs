//! Measured figures beside their targets, printed as they arrive.

use serde_json::Value;
use testkit::Deployment;

/// Chat requests that the platform permits in any second.
pub(crate) const CHAT_RATE: f64 = 50.0;

/// Counts the figures that miss their target.
#[derive(Debug, Default)]
pub struct Figures {
    missed: usize,
}

impl Figures {
    /// A heading for the figures that follow.
    pub fn heading(&self, text: &str) {
        println!("\n{text}");
    }

    /// A figure without a target.
    pub fn report(&self, what: &str, value: f64) {
        println!("  {what:<64} {value:>10.3}");
    }

    pub fn at_most(&mut self, what: &str, value: f64, most: f64) {
        self.check(what, value, value <= most, &format!("at most {most}"));
    }

    pub fn at_least(&mut self, what: &str, value: f64, least: f64) {
        self.check(what, value, value >= least, &format!("at least {least}"));
    }

    fn check(&mut self, what: &str, value: f64, met: bool, target: &str) {
        self.missed += usize::from(!met);
        println!("  {what:<64} {value:>10.3}  {target}{}", if met { "" } else { "  MISSED" });
    }

    pub fn conclude(&self) -> bool {
        match self.missed {
            0 => println!("\nall targets met"),
            missed => println!("\n{missed} targets missed"),
        }
        self.missed == 0
    }
}

pub(crate) struct PlatformStats(pub(crate) Value);

impl PlatformStats {
    pub(crate) async fn read(deployment: &Deployment) -> Self {
        Self(deployment.simulator.stats().await)
    }

    /// An absent number fails every target.
    pub(crate) fn number(&self, name: &str) -> f64 {
        self.0[name].as_f64().unwrap_or(f64::NAN)
    }

    pub(crate) fn check_limits(&self, figures: &mut Figures) {
        figures.at_most("most chat requests in any second", self.number("max_per_second"), CHAT_RATE);
        figures.at_most("responses 429", self.number("rate_limited"), 0.0);
    }
}

/// Jain's index: 1 if all numbers are equal, 1/n if one has all.
pub fn jain(numbers: &[f64]) -> f64 {
    let sum: f64 = numbers.iter().sum();
    let squares: f64 = numbers.iter().map(|number| number * number).sum();
    if squares > 0.0 { sum * sum / (float(numbers.len()) * squares) } else { 1.0 }
}

/// The value that `percent` of the numbers do not exceed.
pub fn percentile(numbers: &[f64], percent: usize) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let index = (sorted.len() * percent / 100).min(sorted.len().saturating_sub(1));
    sorted.get(index).copied().unwrap_or(0.0)
}

pub(crate) fn mean(numbers: &[f64]) -> f64 {
    if numbers.is_empty() { 0.0 } else { numbers.iter().sum::<f64>() / float(numbers.len()) }
}

#[expect(clippy::cast_precision_loss, reason = "counts of a bench are small")]
pub fn float(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jain_and_percentiles() {
        assert!((jain(&[3.0, 3.0, 3.0]) - 1.0).abs() < 1e-9);
        assert!((jain(&[9.0, 0.0, 0.0]) - 1.0 / 3.0).abs() < 1e-9);
        let numbers: Vec<f64> = (0..100).rev().map(f64::from).collect();
        assert!((percentile(&numbers, 50) - 50.0).abs() < 1e-9);
        assert!((percentile(&numbers, 99) - 99.0).abs() < 1e-9);
        assert!((mean(&[1.0, 3.0]) - 2.0).abs() < 1e-9);
    }

    #[test]
    fn a_missed_target_fails_the_run() {
        for (value, met) in [(1.0, true), (2.0, false), (f64::NAN, false)] {
            let mut figures = Figures::default();
            figures.at_most("a", value, 1.0);
            figures.at_least("b", value, 1.0);
            assert_eq!(figures.conclude(), met);
        }
    }
}
