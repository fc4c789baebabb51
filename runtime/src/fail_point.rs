//! Points in the job system where a test makes a process crash, freeze or hang, to verify the recovery.
//!
//! Only builds with debug assertions contain them: in a release binary every point is a no-op and the variable is not
//! read. `GUILDHALL_FAIL_POINTS` lists rules `point[:detail]=action[@hit]`, separated by commas.
//! `after_claim:sync_member=abort@2` ends the process at the second claim of a job of that kind; a rule without `@hit`
//! applies to every hit, one without a detail to any. An invalid rule is refused at startup.
//!
//! | point | where | detail |
//! | --- | --- | --- |
//! | `after_insert` | the job's row is committed, nothing is published | kind of job |
//! | `after_publish` | the message is handed to the broker, and not confirmed | kind |
//! | `after_confirm` | the broker has confirmed the message | kind |
//! | `after_claim` | the job is this worker's, its message is not acknowledged | kind |
//! | `after_ack` | the message is acknowledged, the handler was not called | kind |
//! | `before_effect` | the handler is about to change something outside | kind |
//! | `after_effect` | the handler has returned, nothing of the outcome is written | kind |
//! | `before_commit` | the end is written in a transaction, and not committed | kind, class where many end at once |
//! | `after_commit` | the end is committed, a waiting caller has no answer | kind |
//! | `after_import` | some rows of a guild that is imported are committed | table |

use crate::error::StartError;

/// Set in tests only.
pub const FAIL_POINTS: &str = "GUILDHALL_FAIL_POINTS";

#[cfg(debug_assertions)]
pub async fn fail_point(name: &str, detail: &str) {
    armed::reach(name, detail).await;
}

/// A no-op in release builds.
#[cfg(not(debug_assertions))]
#[inline]
pub fn fail_point(_: &str, _: &str) -> std::future::Ready<()> {
    std::future::ready(())
}

/// Whether any rule concerns the point; never in release builds.
#[inline]
pub fn has_fail_point(name: &str) -> bool {
    #[cfg(debug_assertions)]
    return armed::rules().iter().any(|rule| rule.point == name);
    #[cfg(not(debug_assertions))]
    {
        let _ = name;
        false
    }
}

pub(crate) fn check() -> Result<(), StartError> {
    #[cfg(debug_assertions)]
    armed::parse(&armed::text()).map_err(|problem| StartError::setting(FAIL_POINTS, problem))?;
    Ok(())
}

#[cfg(debug_assertions)]
mod armed {
    use std::sync::LazyLock;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::time::Duration;

    const POINTS: [&str; 10] = [
        "after_insert",
        "after_publish",
        "after_confirm",
        "after_claim",
        "after_ack",
        "before_effect",
        "after_effect",
        "before_commit",
        "after_commit",
        "after_import",
    ];
    const ACTIONS: [(&str, Action); 4] = [
        ("abort", Action::Abort),
        ("freeze", Action::Freeze),
        ("hang", Action::Hang),
        ("block", Action::Block),
    ];

    /// The point does not continue meanwhile.
    const FREEZES_WITHIN: Duration = Duration::from_secs(2);

    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(super) enum Action {
        /// Aborts the process, as `kill -9` does: nothing is flushed, closed or dropped.
        Abort,
        /// Stops the process, like a suspended machine, until it receives SIGCONT.
        Freeze,
        /// Blocks this task; the others continue.
        Hang,
        /// Blocks this task and its thread permanently.
        Block,
    }

    #[derive(Debug)]
    pub(super) struct Rule {
        pub(super) point: &'static str,
        detail: Option<String>,
        action: Action,
        /// From 1; `None`: every hit.
        hit: Option<u32>,
        hits: AtomicU32,
    }

    static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| parse(&text()).unwrap_or_default());

    pub(super) fn text() -> String {
        std::env::var_os(super::FAIL_POINTS).unwrap_or_default().to_string_lossy().into_owned()
    }

    pub(super) fn rules() -> &'static [Rule] {
        &RULES
    }

    pub(super) fn parse(text: &str) -> Result<Vec<Rule>, String> {
        text.split(',').map(str::trim).filter(|rule| !rule.is_empty()).map(Rule::parse).collect()
    }

    impl Rule {
        fn parse(text: &str) -> Result<Self, String> {
            let form = || format!("has `{text}`, which is not of the form point[:detail]=action[@hit]");
            let (place, what) = text.split_once('=').ok_or_else(form)?;
            let (point, detail) = match place.split_once(':') {
                Some((_, "")) => return Err(form()),
                Some((point, detail)) => (point, Some(detail.to_owned())),
                None => (place, None),
            };
            let (action, hit) = match what.split_once('@') {
                Some((action, hit)) => (action, Some(hit)),
                None => (what, None),
            };
            let point = POINTS.into_iter().find(|known| *known == point);
            let point = point.ok_or_else(|| format!("has `{text}`: the points are {}", POINTS.join(", ")))?;
            let action = ACTIONS.into_iter().find(|(name, _)| *name == action);
            let (_, action) = action.ok_or_else(|| {
                format!("has `{text}`: the actions are {}", ACTIONS.map(|(name, _)| name).join(", "))
            })?;
            let hit = match hit.map(str::parse::<u32>) {
                None => None,
                Some(Ok(hit)) if hit > 0 => Some(hit),
                Some(_) => return Err(format!("has `{text}`: the hit must be a whole number from 1")),
            };
            Ok(Self { point, detail, action, hit, hits: AtomicU32::new(0) })
        }

        /// Counts the hit if the rule matches this point; true if the rule applies to this hit.
        fn is_hit(&self, point: &str, detail: &str) -> bool {
            if self.point != point || self.detail.as_deref().is_some_and(|wanted| wanted != detail) {
                return false;
            }
            let hits = self.hits.fetch_add(1, Ordering::Relaxed) + 1;
            self.hit.is_none_or(|wanted| wanted == hits)
        }
    }

    pub(super) async fn reach(point: &str, detail: &str) {
        debug_assert!(POINTS.contains(&point), "{point} is not in the list of fail points");
        for rule in rules().iter().filter(|rule| rule.is_hit(point, detail)) {
            tracing::warn!(point, detail, action = ?rule.action, "reached a fail point");
            match rule.action {
                Action::Abort => std::process::abort(),
                Action::Freeze => freeze(),
                Action::Hang => std::future::pending().await,
                Action::Block => loop {
                    std::thread::park();
                },
            }
        }
    }

    fn freeze() {
        let this = std::process::id().to_string();
        // On a busy machine the signal arrives with a delay.
        let stopped = std::process::Command::new("kill").args(["-STOP", &this]).status();
        if !stopped.is_ok_and(|status| status.success()) {
            tracing::error!("cannot freeze: there is no `kill` to run");
        }
        std::thread::sleep(FREEZES_WITHIN);
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn rules_name_point_action_and_hit() {
            let rules = parse("after_claim:sync_member=abort@2, after_ack=freeze,").unwrap();
            let first = (rules[0].point, rules[0].detail.as_deref(), rules[0].action, rules[0].hit);
            assert_eq!(first, ("after_claim", Some("sync_member"), Action::Abort, Some(2)));
            let second = (rules[1].point, rules[1].detail.as_deref(), rules[1].action, rules[1].hit);
            assert_eq!(second, ("after_ack", None, Action::Freeze, None));
            assert!(parse("").unwrap().is_empty());
        }

        #[test]
        fn a_rule_counts_its_own_hits() {
            let rules = parse("after_claim:a=hang@2,after_claim=hang").unwrap();
            let (second, every) = (&rules[0], &rules[1]);
            let hits = [
                ("after_claim", "b"),
                ("after_ack", "a"),
                ("after_claim", "a"),
                ("after_claim", "a"),
                ("after_claim", "a"),
            ];
            assert_eq!(
                hits.map(|(point, detail)| second.is_hit(point, detail)),
                [false, false, false, true, false]
            );
            assert_eq!(
                hits.map(|(point, detail)| every.is_hit(point, detail)),
                [true, false, true, true, true]
            );
        }

        #[test]
        fn an_invalid_rule_is_named() {
            for (bad, says) in [
                ("after_claim", "form"),
                ("after_claim:=abort", "form"),
                ("before_lunch=abort", "before_commit"),
                ("after_claim=explode", "abort, freeze, hang"),
                ("after_claim=abort@0", "whole number"),
                ("after_ack=hang,after_claim=abort@x", "whole number"),
            ] {
                let problem = parse(bad).unwrap_err();
                assert!(
                    problem.contains(says) && problem.contains(bad.rsplit(',').next().unwrap()),
                    "{problem}"
                );
            }
        }
    }
}
