//! What is left of each platform's limits, read when somebody asks.

use runtime::Gauge;

use crate::config::Platforms;
use crate::pacing::budget::{Budget, CountedBy};

impl Platforms {
    /// Of all processes where Redis counts. What only Redis knows is missing while it does not answer.
    pub async fn gauges(&self) -> Vec<Gauge> {
        let (chat, play) = tokio::join!(self.chat.standing(), self.play.standing());
        [of("chat", &chat.budget), of("play", &play.budget)].concat()
    }
}

fn of(platform: &'static str, budget: &Budget) -> Vec<Gauge> {
    let mut gauges = Vec::new();
    if budget.counted_by != CountedBy::Nobody {
        let pause = budget.paused_for.unwrap_or_default();
        gauges.push(Gauge::new("guildhall_platform_paused_seconds", pause.as_secs_f64()));
        gauges.push(Gauge::count("guildhall_platform_refusals", budget.refusals));
        for (priority, kept) in [("interactive", 0), ("bulk", budget.reserve)] {
            let left = budget.capacity.map(|calls| calls.saturating_sub(budget.in_use.saturating_add(kept)));
            let left = left.map(|left| Gauge::count("guildhall_platform_budget_left", left));
            gauges.extend(left.map(|gauge| gauge.with("priority", priority)));
        }
    }
    gauges.extend(budget.capacity.map(|calls| Gauge::count("guildhall_platform_budget_max", calls)));
    gauges.into_iter().map(|gauge| gauge.with("platform", platform)).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use runtime::PlatformRate;

    use super::*;
    use crate::pacing::Rules;

    fn shown(budget: &Budget) -> Vec<String> {
        of("chat", budget).iter().map(|gauge| format!("{gauge:?}")).collect()
    }

    #[test]
    fn bulk_leaves_a_reserve_and_an_unknown_budget_is_not_shown() {
        let rules = Rules::chat("50".parse().unwrap());
        let paused_for = Some(Duration::from_millis(1_500));
        let budget = Budget { in_use: 49, refusals: 3, paused_for, ..Budget::new(CountedBy::Redis, &rules) };
        let gauge = |name, value| Gauge::new(name, value);
        let left =
            |value, priority| gauge("guildhall_platform_budget_left", value).with("priority", priority);
        let expected = [
            gauge("guildhall_platform_paused_seconds", 1.5),
            gauge("guildhall_platform_refusals", 3.0),
            left(1.0, "interactive"),
            left(0.0, "bulk"),
            gauge("guildhall_platform_budget_max", 50.0),
        ];
        let expected = expected.map(|gauge| format!("{:?}", gauge.with("platform", "chat")));
        assert_eq!(shown(&budget), expected);
        assert_eq!(shown(&Budget { counted_by: CountedBy::Nobody, ..budget }), expected[4..]);
        let unlimited = Budget::new(CountedBy::Process, &Rules::chat(PlatformRate::Off));
        assert_eq!(shown(&unlimited).len(), 2, "no limit, no budget");
    }
}
