//! Measured figures beside their targets, printed as they arrive.

/// The target of a figure.
#[derive(Debug, Clone, Copy)]
pub enum Target {
    AtMost(f64),
    AtLeast(f64),
    /// Reported without a target.
    None,
}

/// Counts the figures that miss their target.
#[derive(Debug, Default)]
pub struct Figures {
    missed: usize,
}

impl Figures {
    /// A heading for the figures that follow.
    pub fn part(&self, text: &str) {
        println!("\n{text}");
    }

    pub fn check(&mut self, what: &str, value: f64, target: Target) {
        let (met, wanted) = match target {
            Target::AtMost(most) => (value <= most, format!("at most {most}")),
            Target::AtLeast(least) => (value >= least, format!("at least {least}")),
            Target::None => (true, String::new()),
        };
        self.missed += usize::from(!met);
        let verdict = if met { "" } else { "  MISSED" };
        println!("  {what:<64} {value:>10.3}  {wanted}{verdict}");
    }

    pub fn tell(&mut self, what: &str, value: f64) {
        self.check(what, value, Target::None);
    }

    /// True if every target was met.
    pub fn conclude(&self) -> bool {
        match self.missed {
            0 => println!("\nall targets met"),
            missed => println!("\n{missed} targets missed"),
        }
        self.missed == 0
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

pub fn mean(numbers: &[f64]) -> f64 {
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
        let mut figures = Figures::default();
        figures.check("a", 2.0, Target::AtMost(1.0));
        figures.check("b", 2.0, Target::AtLeast(1.0));
        assert!(!figures.conclude());
    }
}
