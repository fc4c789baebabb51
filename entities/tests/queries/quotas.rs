//! Quotas: progress by metric, scope and span; approval before an action counts, decided once.

use entities::approval::{self, Decision};
use entities::pending_action::{self, Verdict};
use entities::quota::{self, Metric, NewQuota, Period};
use entities::staff_action::{ActionType, totals};

use crate::actions::action;
use crate::fixture::{Fixture, at, both_databases, chat, guild, other_guild, settings};
use entities::period::Span;
use entities::{Page, Timestamp, quota_progress};

fn bans(scope: Option<&str>, requires_approval: bool) -> NewQuota {
    NewQuota {
        name: "Bans".to_owned(),
        metric: Metric::Ban,
        target: 10,
        period: Period::Month,
        scope_role: scope.map(str::to_owned),
        requires_approval,
    }
}

both_databases! {
    async fn progress_covers_the_scope_and_nobody_else(fixture: &Fixture) {
        for (staff, role) in [(1, 5), (2, 5), (3, 6)] {
            fixture.hire(chat(staff), role).await;
        }
        for (staff, second) in [(2, 10), (2, 20), (1, 20), (3, 20), (8, 20)] {
            fixture.act(action(staff, ActionType::Ban), at(second)).await;
        }
        fixture.act(action(1, ActionType::Kick), at(20)).await;
        let all = quota::add(fixture.conn(), guild(), bans(None, false), at(0)).await.unwrap();
        let told = async |quota: &quota::Model, span: Span| {
            let rows = quota_progress::list(fixture.conn(), quota, span, &settings(), at(30)).await.unwrap();
            rows.iter().map(|row| (row.staff_id, row.current)).collect::<Vec<_>>()
        };
        assert_eq!(told(&all, Span::default()).await, [(chat(2), 2), (chat(1), 1), (chat(3), 1)]);
        assert_eq!(told(&all, Some(at(20)).into()).await, [(chat(1), 1), (chat(2), 1), (chat(3), 1)]);
        let some = quota::add(fixture.conn(), guild(), bans(Some("Mod 5"), false), at(0)).await.unwrap();
        assert_eq!(told(&some, Some(at(21)).into()).await, [(chat(1), 0), (chat(2), 0)]);
        let ended = Span { since: Some(at(10)), until: Some(at(20)) };
        assert_eq!(told(&all, ended).await, [(chat(2), 1), (chat(1), 0), (chat(3), 0)]);
    }

    async fn actions_wait_where_a_quota_covers_them_and_count_when_approved(fixture: &Fixture) {
        fixture.hire(chat(1), 5).await;
        fixture.hire(chat(2), 6).await;
        let quota = quota::add(fixture.conn(), guild(), bans(Some("Mod 5"), true), at(0)).await.unwrap();
        assert!(fixture.act(action(2, ActionType::Ban), at(1)).await.pending.is_none());
        assert!(fixture.act(action(1, ActionType::Kick), at(1)).await.pending.is_none());
        let first = fixture.act(action(1, ActionType::Ban), at(1)).await.pending.unwrap();
        let second = fixture.act(action(1, ActionType::Ban), at(2)).await.pending.unwrap();
        let current = async || {
            let settings = settings();
            let rows = quota_progress::list(fixture.conn(), &quota, Span::default(), &settings, at(9));
            rows.await.unwrap()[0].current
        };
        assert_eq!(current().await, 0);
        let waiting = pending_action::list(fixture.conn(), guild(), Page::first(10)).await.unwrap();
        assert_eq!(waiting.iter().map(|one| one.pending_id).collect::<Vec<_>>(), [second, first]);
        let decide = async |id, approve| {
            let transaction = fixture.begin().await;
            let verdict = Verdict { approve, by: chat(9), at: at(5) };
            let decided = approval::decide(&transaction, guild(), id, verdict).await.unwrap();
            transaction.commit().await.unwrap();
            decided
        };
        assert!(matches!(decide(first, true).await, Decision::Made(_)));
        assert!(matches!(decide(first, false).await, Decision::Already(one) if one.state == pending_action::State::Approved));
        assert_eq!(current().await, 1);
        assert!(matches!(decide(second, false).await, Decision::Made(_)));
        assert_eq!(current().await, 1);
        assert!(pending_action::list(fixture.conn(), guild(), Page::first(10)).await.unwrap().is_empty());
        let foreign = approval::decide(fixture.conn(), other_guild(), first, Verdict { approve: true, by: chat(9), at: at(5) }).await;
        assert_eq!(foreign.unwrap(), Decision::Unknown);
    }

    async fn what_is_approved_counts_at_the_time_it_was_done(fixture: &Fixture) {
        fixture.hire(chat(1), 5).await;
        let strict = quota::add(fixture.conn(), guild(), bans(None, true), at(0)).await.unwrap();
        // Approvals, rejections and actions that need none, at once.
        let mut waiting = Vec::new();
        for second in 0..16 {
            waiting.push(fixture.act(action(1, ActionType::Ban), at(second)).await.pending.unwrap());
        }
        quota::delete(fixture.conn(), guild(), strict.quota_id).await.unwrap();
        let total = async |since: Option<Timestamp>| {
            let counts = totals::of_guild(fixture.conn(), guild(), &[ActionType::Ban], since).await.unwrap();
            counts.iter().map(|one| one.count).sum::<i64>()
        };
        assert_eq!((total(None).await, totals::of_staff(fixture.conn(), guild(), chat(1)).await.unwrap()), (0, 0));
        let decide = async |index: usize, id| {
            let transaction = fixture.begin().await;
            let verdict = Verdict { approve: !index.is_multiple_of(4), by: chat(9), at: at(100) };
            approval::decide(&transaction, guild(), id, verdict).await.unwrap();
            transaction.commit().await.unwrap();
        };
        let decisions = waiting.iter().enumerate().map(|(index, id)| decide(index, *id));
        let acts = (0..8).map(|_| fixture.act(action(1, ActionType::Ban), at(90)));
        futures_util::future::join(futures_util::future::join_all(decisions), futures_util::future::join_all(acts)).await;
        assert_eq!((total(None).await, total(Some(at(90))).await, total(Some(at(91))).await), (20, 8, 0));
        assert_eq!(totals::of_staff(fixture.conn(), guild(), chat(1)).await.unwrap(), 20);
        // Of the seconds 0 to 15 every fourth was rejected.
        assert_eq!((total(Some(at(4))).await, total(Some(at(15))).await), (17, 9));
    }

    async fn a_quota_is_changed_and_deleted_in_its_guild_only(fixture: &Fixture) {
        let mut quota = quota::add(fixture.conn(), guild(), bans(None, false), at(0)).await.unwrap();
        (quota.target, quota.scope_role) = (20, Some("Mod 5".to_owned()));
        quota::save(fixture.conn(), &quota).await.unwrap();
        assert_eq!(quota::find(fixture.conn(), guild(), quota.quota_id).await.unwrap(), Some(quota.clone()));
        assert!(quota::find(fixture.conn(), other_guild(), quota.quota_id).await.unwrap().is_none());
        assert!(quota::delete(fixture.conn(), other_guild(), quota.quota_id).await.unwrap().is_none());
        assert!(quota::delete(fixture.conn(), guild(), quota.quota_id).await.unwrap().is_some());
    }
}
