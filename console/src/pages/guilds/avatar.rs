//! The colour of a person's round picture: derived from their id, so that it is the same on every page. The pairs of
//! colours stand in `console.css`, each at 4.5:1 in both themes.

use entities::{ChatId, PlayId};

use super::people::Who;

/// `tone-0` to `tone-7`.
const TONES: [&str; 8] = ["tone-0", "tone-1", "tone-2", "tone-3", "tone-4", "tone-5", "tone-6", "tone-7"];
/// Fibonacci hashing: neighbouring ids get different tones.
const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

impl Who {
    /// The class of the colour.
    pub(crate) fn tone(&self) -> &'static str {
        let id = self.chat.map(ChatId::get).or(self.play.map(PlayId::get)).unwrap_or_default();
        tone(id.unsigned_abs())
    }
}

fn tone(id: u64) -> &'static str {
    // The highest bits of the product are the mixed ones.
    let index = usize::try_from(id.wrapping_mul(FACTOR) >> 61).unwrap_or_default();
    TONES[index % TONES.len()]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn neighbours_have_different_tones_and_all_tones_occur() {
        let tones: Vec<_> = (1_000_000_000_000_000_000..).take(50).map(tone).collect();
        assert_eq!(tones.iter().collect::<BTreeSet<_>>().len(), TONES.len());
        assert!(tones.windows(2).all(|pair| pair[0] != pair[1]), "{tones:?}");
    }
}
