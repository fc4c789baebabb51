//! Staff actions: totals read off the numbering equal the counted rows, also after concurrent writes.

use std::collections::{BTreeMap, BTreeSet};

use entities::staff_action::withdrawal::{self, Undone};
use entities::staff_action::{self, ActionType, NewAction, times, totals};
use entities::{ChatId, Page, Timestamp, approval};
use sea_orm::EntityTrait;

use crate::fixture::{Fixture, at, both_databases, chat, guild, other_guild};

pub(crate) fn action(staff: i64, action_type: ActionType) -> NewAction {
    NewAction {
        guild: guild(),
        staff: chat(staff),
        action_type,
        target: "10001".to_owned(),
        details: sea_orm::JsonValue::Null,
        session: None,
        counts: true,
    }
}

impl Fixture {
    pub(crate) async fn act(&self, new: NewAction, now: Timestamp) -> approval::Recorded {
        let transaction = self.begin().await;
        let recorded = approval::record(&transaction, vec![new], now).await.unwrap();
        transaction.commit().await.unwrap();
        recorded[0]
    }

    /// Totals the slow way.
    async fn counted(&self, since: Option<Timestamp>) -> BTreeMap<(ChatId, ActionType), i64> {
        let mut counted = BTreeMap::new();
        for row in staff_action::Entity::find().all(self.conn()).await.unwrap() {
            if row.guild_id == guild()
                && row.nth.is_some()
                && since.is_none_or(|since| row.counted_at.unwrap() >= since)
            {
                *counted.entry((row.staff_id, row.action_type)).or_default() += 1;
            }
        }
        counted
    }

    async fn tallied(&self, since: Option<Timestamp>) -> BTreeMap<(ChatId, ActionType), i64> {
        let counts = totals::of_guild(self.conn(), guild(), ActionType::ALL, since).await.unwrap();
        counts.iter().map(|one| ((one.staff_id, one.action_type), one.count)).collect()
    }
}

both_databases! {
    async fn tallies_equal_the_counted_rows(fixture: &Fixture) {
        let types = [ActionType::Ban, ActionType::Kick, ActionType::Custom];
        for n in 0..60 {
            // Every fifth clock is behind.
            let second = if n % 5 == 0 { n / 2 } else { n };
            fixture.act(action(n % 4, types[usize::try_from(n % 3).unwrap()]), at(second)).await;
        }
        fixture.act(NewAction { guild: other_guild(), ..action(1, ActionType::Ban) }, at(0)).await;
        for since in [None, Some(at(0)), Some(at(17)), Some(at(59)), Some(at(60))] {
            assert_eq!(fixture.tallied(since).await, fixture.counted(since).await, "{since:?}");
        }
        assert_eq!(totals::of_staff(fixture.conn(), guild(), chat(1)).await.unwrap(), 15);
        assert_eq!(totals::of_staff(fixture.conn(), guild(), chat(9)).await.unwrap(), 0);
        let bans = totals::of_guild(fixture.conn(), guild(), &[ActionType::Ban], None).await.unwrap();
        assert_eq!(bans.iter().map(|one| one.count).sum::<i64>(), 20);
    }

    async fn a_column_of_the_next_release_disturbs_no_statement_in_use(fixture: &Fixture) {
        let act = async |seconds: std::ops::Range<i64>| {
            for second in seconds {
                fixture.act(action(1, ActionType::Ban), at(second)).await;
            }
        };
        act(0..8).await;
        fixture.execute("ALTER TABLE staff_action ADD COLUMN of_the_next_release text").await;
        act(8..16).await;
        assert_eq!(totals::of_staff(fixture.conn(), guild(), chat(1)).await.unwrap(), 16);
    }

    async fn concurrent_actions_of_one_member_are_numbered_without_gaps(fixture: &Fixture) {
        let writes = (0..12).map(|n| async move {
            let transaction = fixture.begin().await;
            let many = vec![action(1, ActionType::Warn); usize::try_from(n % 3 + 1).unwrap()];
            approval::record(&transaction, many, at(n)).await.unwrap();
            transaction.commit().await.unwrap();
        });
        futures_util::future::join_all(writes).await;
        let mut rows = staff_action::Entity::find().all(fixture.conn()).await.unwrap();
        rows.sort_by_key(|row| row.nth);
        assert_eq!(rows.iter().map(|row| row.nth.unwrap()).collect::<Vec<_>>(), (1..=24).collect::<Vec<_>>());
        assert!(rows.windows(2).all(|pair| pair[0].counted_at <= pair[1].counted_at));
    }

    async fn many_actions_are_numbered_for_each_member_and_type(fixture: &Fixture) {
        let named = |target: &str, new: NewAction| NewAction { target: target.to_owned(), ..new };
        fixture.act(action(1, ActionType::Ban), at(0)).await;
        let many = vec![
            named("a", action(1, ActionType::Ban)),
            named("b", action(2, ActionType::Ban)),
            named("c", action(1, ActionType::Ban)),
            named("d", action(1, ActionType::Mute)),
        ];
        let recorded = approval::record(fixture.conn(), many, at(1)).await.unwrap();
        assert_eq!(recorded.len(), 4);
        let rows = staff_action::Entity::find().all(fixture.conn()).await.unwrap();
        let mut numbers: Vec<_> = rows.iter().map(|row| (row.target_id.as_str(), row.nth.unwrap())).collect();
        numbers.sort_unstable();
        assert_eq!(numbers, [("10001", 1), ("a", 2), ("b", 1), ("c", 3), ("d", 1)]);
        assert_eq!(fixture.tallied(None).await, fixture.counted(None).await);
    }

    async fn an_action_that_is_rolled_back_leaves_no_gap(fixture: &Fixture) {
        fixture.act(action(1, ActionType::Warn), at(0)).await;
        let transaction = fixture.begin().await;
        approval::record(&transaction, vec![action(1, ActionType::Warn)], at(1)).await.unwrap();
        transaction.rollback().await.unwrap();
        fixture.act(action(1, ActionType::Warn), at(2)).await;
        assert_eq!(fixture.tallied(None).await, fixture.counted(None).await);
    }

    async fn undone_actions_leave_no_gap(fixture: &Fixture) {
        for second in 0..6 {
            fixture.act(action(1, ActionType::Unban), at(second)).await;
        }
        fixture.act(action(2, ActionType::Unban), at(1)).await;
        let of = |staff, second| Undone {
            staff: chat(staff),
            action_type: ActionType::Unban,
            at: at(second),
            target: "10001".to_owned(),
        };
        let undone = BTreeSet::from([of(1, 1), of(1, 3), of(1, 4), of(3, 0)]);
        for _ in 0..2 {
            withdrawal::withdraw(fixture.conn(), guild(), undone.clone()).await.unwrap();
        }
        let mut rows = staff_action::Entity::find().all(fixture.conn()).await.unwrap();
        rows.sort_by_key(|row| row.action_id);
        let numbers: Vec<_> = rows.iter().map(|row| row.nth).collect();
        assert_eq!(numbers, [Some(1), None, Some(2), None, None, Some(3), Some(1)]);
        assert_eq!(fixture.tallied(None).await, fixture.counted(None).await);
    }

    async fn the_activity_list_pages_without_gaps_while_rows_are_added(fixture: &Fixture) {
        for n in 0..5 {
            fixture.act(action(n, ActionType::Kick), at(n)).await;
        }
        let first = staff_action::list(fixture.conn(), guild(), Page::first(2)).await.unwrap();
        fixture.act(action(9, ActionType::Kick), at(9)).await;
        let second = staff_action::list(fixture.conn(), guild(), Page { cursor: Some(first[1].action_id), limit: 10 }).await.unwrap();
        let told: Vec<_> = first.iter().chain(&second).map(|row| row.staff_id).collect();
        assert_eq!(told, [4, 3, 2, 1, 0].map(chat));
        assert!(staff_action::list(fixture.conn(), other_guild(), Page::first(10)).await.unwrap().is_empty());
    }

    async fn actions_are_counted_in_each_span(fixture: &Fixture) {
        for second in [0, 9, 10, 10, 19, 30] {
            fixture.act(action(second % 3, ActionType::Warn), at(second)).await;
        }
        fixture.act(NewAction { guild: other_guild(), ..action(1, ActionType::Warn) }, at(10)).await;
        let spans = [(at(0), at(10)), (at(10), at(20)), (at(20), at(30))];
        assert_eq!(times::count_in(fixture.conn(), guild(), &spans).await.unwrap(), [2, 3, 0]);
        assert_eq!(times::count_in(fixture.conn(), guild(), &[(at(30), at(31))]).await.unwrap(), [1]);
    }
}
