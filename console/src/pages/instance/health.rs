//! Whether the instance is well, in one line: what needs an operator, each with the page where they act.

use chrono::TimeDelta;
use entities::job::Class;
use people::labels::capital;

use super::url;
use crate::html::format::{Count, Length};

/// A job that waits longer than this is reported.
const LONG_WAIT: TimeDelta = TimeDelta::minutes(2);

/// The known state of the instance.
#[derive(Default)]
pub(super) struct Facts {
    /// Dependencies that do not answer.
    pub(super) away: Vec<&'static str>,
    /// Nobody runs jobs of these classes.
    pub(super) unserved: Vec<Class>,
    /// Schedulers are expected, but none leads.
    pub(super) nobody_leads: bool,
    /// Processes without a heartbeat, with the time since the last one.
    pub(super) silent: Vec<(String, TimeDelta)>,
    /// "Discord asked for a pause".
    pub(super) platforms: Vec<String>,
    pub(super) paused_classes: u64,
    pub(super) paused_guilds: u64,
    pub(super) dead: u64,
    /// How long the oldest available job waits.
    pub(super) oldest: Option<TimeDelta>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Concern {
    pub(super) words: String,
    pub(super) url: String,
}

pub(super) fn waits_long(wait: TimeDelta) -> bool {
    wait > LONG_WAIT
}

impl Facts {
    /// Worst first; empty: all is well.
    pub(super) fn concerns(&self) -> Vec<Concern> {
        let mut concerns = Vec::new();
        let mut say = |words: String, page: &str| concerns.push(Concern { words, url: url(page) });
        for name in &self.away {
            say(format!("{name} is away"), "#depends");
        }
        if let Some(unserved) = nobody_runs(&self.unserved) {
            say(unserved, "#processes");
        }
        if self.nobody_leads {
            say("no scheduler leads".to_owned(), "#processes");
        }
        match self.silent.as_slice() {
            [] => {}
            [(roles, since)] => {
                say(format!("a process ({roles}) has had no heartbeat for {}", Length(*since)), "#processes");
            }
            several => say(format!("{} processes have no heartbeat", several.len()), "#processes"),
        }
        for trouble in &self.platforms {
            say(trouble.clone(), "/platforms");
        }
        if let Some(paused) = are_paused(self.paused_classes, "class", "classes") {
            say(paused, "/pauses");
        }
        if let Some(paused) = are_paused(self.paused_guilds, "Discord server", "Discord servers") {
            say(paused, "/pauses");
        }
        if self.dead > 0 {
            say(Count(self.dead, "dead job").to_string(), "/jobs?state=dead");
        }
        if let Some(wait) = self.oldest.filter(|wait| waits_long(*wait)) {
            say(format!("the oldest job waits {}", Length(wait)), "/queues");
        }
        if let Some(first) = concerns.first_mut() {
            first.words = capital(&first.words);
        }
        concerns
    }
}

/// "nobody runs jobs of class bulk"
pub(super) fn nobody_runs(classes: &[Class]) -> Option<String> {
    let names: Vec<_> = classes.iter().map(|class| class.name()).collect();
    match names.as_slice() {
        [] => None,
        [one] => Some(format!("nobody runs jobs of class {one}")),
        several => Some(format!("nobody runs jobs of the classes {}", several.join(", "))),
    }
}

fn are_paused(number: u64, one: &str, several: &str) -> Option<String> {
    match number {
        0 => None,
        1 => Some(format!("1 {one} is paused")),
        number => Some(format!("{number} {several} are paused")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_concern_is_said_once_and_the_worst_is_first() {
        assert_eq!(Facts::default().concerns(), []);
        let facts = Facts {
            away: vec!["Redis"],
            unserved: vec![Class::Interactive, Class::Bulk],
            silent: vec![("worker".to_owned(), TimeDelta::seconds(20))],
            platforms: vec!["Discord asked for a pause".to_owned()],
            paused_classes: 1,
            paused_guilds: 2,
            dead: 2,
            oldest: Some(TimeDelta::minutes(4)),
            ..Facts::default()
        };
        let words: Vec<_> = facts.concerns().into_iter().map(|concern| concern.words).collect();
        assert_eq!(
            words.join(", "),
            "Redis is away, nobody runs jobs of the classes interactive, bulk, a process (worker) has had no heartbeat for 20 s, Discord asked for a pause, \
             1 class is paused, 2 Discord servers are paused, 2 dead jobs, the oldest job waits 4 min"
        );
    }

    #[test]
    fn the_first_word_has_a_capital_and_a_short_wait_is_none() {
        let facts = Facts { oldest: Some(TimeDelta::seconds(5)), nobody_leads: true, ..Facts::default() };
        let concerns = facts.concerns();
        assert_eq!(concerns[0].words, "No scheduler leads");
        assert_eq!((concerns.len(), concerns[0].url.as_str()), (1, "/console/instance#processes"));
    }
}
