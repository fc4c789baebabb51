//! Redis's sorted set, as far as the state machine needs it: members by score, equal scores by name.

use std::collections::{BTreeSet, HashMap};

#[derive(Debug, Default)]
pub(super) struct SortedSet {
    by_score: BTreeSet<(u64, String)>,
    scores: HashMap<String, u64>,
}

impl SortedSet {
    pub(super) fn insert(&mut self, name: &str, score: u64) {
        self.remove(name);
        self.scores.insert(name.to_owned(), score);
        self.by_score.insert((score, name.to_owned()));
    }

    /// Returns whether it was present.
    pub(super) fn remove(&mut self, name: &str) -> bool {
        let Some(score) = self.scores.remove(name) else { return false };
        self.by_score.remove(&(score, name.to_owned()))
    }

    pub(super) fn score(&self, name: &str) -> Option<u64> {
        self.scores.get(name).copied()
    }

    pub(super) fn first(&self) -> Option<(String, u64)> {
        self.by_score.first().map(|(score, name)| (name.clone(), *score))
    }

    /// Its rank, counted up to `most`.
    pub(super) fn rank(&self, name: &str, most: usize) -> usize {
        self.by_score.iter().take(most).position(|(_, other)| other == name).unwrap_or(most)
    }

    /// Removes members with this score or a lower one.
    pub(super) fn remove_up_to(&mut self, score: u64) {
        while let Some((lowest, name)) = self.by_score.first().filter(|(lowest, _)| *lowest <= score) {
            let (lowest, name) = (*lowest, name.clone());
            self.scores.remove(&name);
            self.by_score.remove(&(lowest, name));
        }
    }

    pub(super) fn len(&self) -> usize {
        self.scores.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.scores.is_empty()
    }
}
