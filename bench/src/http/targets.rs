//! The targets of a case, and whether its figures meet them.

use testkit::Mode;

use super::floor::Floor;
use super::wrk::Round;
use crate::figures::Figures;

pub(super) enum Target {
    /// Requests a second, as a share of the ceiling's.
    Ceiling(f64),
    /// p99, as a multiple of the ceiling's.
    Tail(f64),
    /// Requests a second.
    Rate(f64),
    /// CPU time of a request on a machine where one of the ceiling costs [`BARE_MICROS`]: others are faster or busier.
    CpuMicros(f64),
    /// Requests a second, as a share of that of another case.
    Like(&'static str, f64),
    /// Requests a second, as a share of what the database can do.
    Floor(Floor, f64),
}

/// CPU time of a request of the ceiling where the targets were set.
const BARE_MICROS: f64 = 7.5;

/// The medians of a case.
pub(super) struct Measured {
    pub(super) name: &'static str,
    pub(super) targets: &'static [Target],
    pub(super) product: Round,
    pub(super) ceiling: Round,
    /// Transactions a second.
    pub(super) floor: Option<f64>,
}

impl Measured {
    /// `all` are the cases measured so far.
    pub(super) fn check(&self, mode: Mode, all: &[Self], figures: &mut Figures) {
        let (name, ours, bare) = (self.name, &self.product, &self.ceiling);
        for target in self.targets {
            match *target {
                Target::Ceiling(least) => {
                    figures.at_least(&format!("{name}: of the ceiling"), ours.rate / bare.rate, least);
                }
                Target::Tail(most) => {
                    figures.at_most(&format!("{name}: p99, of the ceiling's"), ours.p99() / bare.p99(), most);
                }
                Target::Rate(least) => {
                    figures.at_least(&format!("{name}: requests a second"), ours.rate, least);
                }
                Target::CpuMicros(most) => {
                    let what = format!("{name}: CPU µs of a request, where the ceiling's has {BARE_MICROS}");
                    figures.at_most(&what, ours.cpu_micros / bare.cpu_micros * BARE_MICROS, most);
                }
                Target::Like(other, least) => {
                    let Some(other) = all.iter().find(|measured| measured.name == other) else { continue };
                    let share = ours.rate / other.product.rate;
                    figures.at_least(&format!("{name}: of {}", other.name), share, least);
                }
                Target::Floor(floor, least) => {
                    let Some(rate) = self.floor else { continue };
                    let what = format!("{name}: of {} ({rate:.0}/s)", floor.name(mode));
                    figures.at_least(&what, ours.rate / rate, least);
                }
            }
        }
        figures.at_most(&format!("{name}: errors"), ours.errors, 0.0);
    }
}
