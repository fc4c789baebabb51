//! Bans and mutes: superseding, expiry to the second, both accounts of a person, revisions, history, sweeps.

use entities::ban::{self, active, change, history, mirror};
use entities::moderation_revision::{self, Change};
use entities::{JobId, Lifted, Person, PlaceId, Places, Subject, Timestamp, mute};

use crate::fixture::{Fixture, at, both_databases, by_chat, by_play, chat, guild, other_guild, place, play};

fn new(subject: Subject, place: Option<PlaceId>, expires_at: Option<Timestamp>) -> change::NewBan {
    change::NewBan {
        subject,
        place,
        reason: "exploiting".to_owned(),
        moderator: chat(99),
        created_at: at(0),
        expires_at,
    }
}

impl Fixture {
    async fn ban(&self, ban: change::NewBan, now: Timestamp) -> change::Added {
        let transaction = self.begin().await;
        let change = moderation_revision::begin(&transaction, guild(), now).await.unwrap();
        let added = change::add(&transaction, &change, ban).await.unwrap();
        transaction.commit().await.unwrap();
        added
    }

    async fn change(&self, now: Timestamp) -> Change {
        moderation_revision::begin(self.conn(), guild(), now).await.unwrap()
    }

    async fn bans_of(&self, subject: Subject, place: Option<PlaceId>, now: Timestamp) -> Vec<ban::Model> {
        let person = Person::resolve(self.conn(), guild(), subject).await.unwrap();
        active::of_person(self.conn(), guild(), (person, place), now).await.unwrap()
    }
}

both_databases! {
    async fn a_new_ban_supersedes_the_old_one_and_its_expiry(fixture: &Fixture) {
        let short = fixture.ban(new(by_play(1), None, Some(at(60))), at(0)).await;
        assert!(short.closed.is_empty());
        let permanent = fixture.ban(new(by_play(1), None, None), at(10)).await;
        assert_eq!(permanent.closed[0].ban_id, short.ban.ban_id);
        assert_eq!(permanent.closed[0].lifted_how, Some(Lifted::Superseded));
        assert!(permanent.ban.revision > short.ban.revision);
        let change = fixture.change(at(100)).await;
        assert!(change::close_lapsed(fixture.conn(), &change, 10).await.unwrap().is_empty());
        let found = fixture.bans_of(by_play(1), None, at(100)).await;
        assert_eq!(found, vec![permanent.ban]);
    }

    async fn a_ban_lapses_to_the_second_and_the_sweep_closes_it_once(fixture: &Fixture) {
        fixture.ban(new(by_play(1), None, Some(at(60))), at(0)).await;
        assert_eq!(fixture.bans_of(by_play(1), None, at(59)).await.len(), 1);
        assert!(fixture.bans_of(by_play(1), None, at(60)).await.is_empty());
        assert!(active::list(fixture.conn(), (guild(), Places::All), at(60)).await.unwrap().is_empty());
        assert!(change::guilds_with_lapsed(fixture.conn(), at(59), 10).await.unwrap().is_empty());
        assert_eq!(change::guilds_with_lapsed(fixture.conn(), at(60), 10).await.unwrap(), vec![guild()]);
        let change = fixture.change(at(61)).await;
        let closed = change::close_lapsed(fixture.conn(), &change, 10).await.unwrap();
        assert_eq!(closed[0].lifted_how, Some(Lifted::Expired));
        assert_eq!(closed[0].revision, change.revision);
        assert!(change::close_lapsed(fixture.conn(), &change, 10).await.unwrap().is_empty());
        assert!(change::guilds_with_lapsed(fixture.conn(), at(60), 10).await.unwrap().is_empty());
    }

    async fn superseding_what_had_lapsed_unnoticed_says_so(fixture: &Fixture) {
        fixture.ban(new(by_play(1), None, Some(at(60))), at(0)).await;
        let next = fixture.ban(new(by_play(1), None, None), at(60)).await;
        assert_eq!(next.closed[0].lifted_how, Some(Lifted::Expired));
    }

    async fn the_schema_refuses_a_second_open_ban_of_one_identifier_and_place(fixture: &Fixture) {
        fixture.ban(new(by_play(1), None, None), at(0)).await;
        fixture.ban(new(by_play(1), Some(place(5)), None), at(0)).await;
        fixture.ban(new(by_chat(1), None, None), at(0)).await;
        for place in ["NULL", "5"] {
            let copy = format!(
                "INSERT INTO ban (guild_id, play_id, place_id, reason, moderator_id, created_at, mirror_state, revision)
                 SELECT guild_id, play_id, place_id, reason, moderator_id, created_at, mirror_state, 1 FROM ban
                 WHERE play_id IS NOT NULL AND coalesce(place_id, 0) = coalesce({place}, 0)"
            );
            let refused = sea_orm::ConnectionTrait::execute_unprepared(fixture.conn(), &copy).await.unwrap_err();
            assert!(refused.to_string().to_lowercase().contains("unique"), "{refused}");
        }
    }

    async fn places_narrow_a_check_and_guild_wide_bans_count_everywhere(fixture: &Fixture) {
        fixture.ban(new(by_play(1), Some(place(5)), None), at(0)).await;
        assert_eq!(fixture.bans_of(by_play(1), Some(place(5)), at(1)).await.len(), 1);
        assert!(fixture.bans_of(by_play(1), Some(place(6)), at(1)).await.is_empty());
        assert_eq!(fixture.bans_of(by_play(1), None, at(1)).await.len(), 1);
        let wide = fixture.ban(new(by_play(1), None, Some(at(500))), at(0)).await.ban;
        assert_eq!(fixture.bans_of(by_play(1), Some(place(6)), at(1)).await, vec![wide]);
        let both = fixture.bans_of(by_play(1), Some(place(5)), at(1)).await;
        assert_eq!(both.iter().map(|ban| ban.expires_at.is_none()).collect::<Vec<_>>(), [true, false]);
    }

    async fn a_ban_is_found_through_the_other_account_also_when_linked_later(fixture: &Fixture) {
        fixture.ban(new(by_chat(1), None, None), at(0)).await;
        assert!(fixture.bans_of(by_play(1), None, at(1)).await.is_empty());
        let before = moderation_revision::current(fixture.conn(), guild()).await.unwrap();
        fixture.link(chat(1), play(1)).await;
        let change = fixture.change(at(1)).await;
        assert_eq!(change::relinked(fixture.conn(), &change, &[chat(1)]).await.unwrap(), 1);
        assert_eq!(fixture.bans_of(by_play(1), None, at(1)).await.len(), 1);
        let listed = active::list(fixture.conn(), (guild(), Places::All), at(1)).await.unwrap();
        assert_eq!(listed[0].identifier(), Some(by_play(1)));
        let changed = active::changed_since(fixture.conn(), (guild(), Places::All), before, 10).await.unwrap();
        assert_eq!(changed, listed);
        let person = Person::resolve(fixture.conn(), guild(), by_play(1)).await.unwrap();
        let gone = change::lift(fixture.conn(), &change, (person, None), chat(99)).await.unwrap();
        assert_eq!(gone.len(), 1);
        assert!(fixture.bans_of(by_chat(1), None, at(1)).await.is_empty());
    }

    async fn unban_lifts_all_of_a_person_and_with_a_place_only_there(fixture: &Fixture) {
        fixture.link(chat(1), play(1)).await;
        for ban in [
            new(by_chat(1), None, None),
            new(by_play(1), None, Some(at(50))),
            new(by_play(1), Some(place(5)), None),
            new(by_play(2), None, None),
        ] {
            fixture.ban(ban, at(0)).await;
        }
        let person = Person::resolve(fixture.conn(), guild(), by_play(1)).await.unwrap();
        let change = fixture.change(at(100)).await;
        let there = change::lift(fixture.conn(), &change, (person, Some(place(5))), chat(9)).await.unwrap();
        assert_eq!(there.len(), 1);
        let rest = change::lift(fixture.conn(), &change, (person, None), chat(9)).await.unwrap();
        let mut how: Vec<_> = rest.iter().filter_map(|ban| ban.lifted_how).map(|how| how == Lifted::Lifted).collect();
        how.sort_unstable();
        assert_eq!(how, [false, true], "one had lapsed, one was in force");
        assert!(change::lift(fixture.conn(), &change, (person, None), chat(9)).await.unwrap().is_empty());
        let nobody = Person::default();
        assert!(change::lift(fixture.conn(), &change, (nobody, None), chat(9)).await.unwrap().is_empty());
        assert_eq!(fixture.bans_of(by_play(2), None, at(100)).await.len(), 1);
    }

    async fn changes_since_a_revision_are_the_new_and_the_lifted(fixture: &Fixture) {
        fixture.ban(new(by_play(1), None, None), at(0)).await;
        let second = fixture.ban(new(by_play(2), None, None), at(0)).await.ban;
        let seen = moderation_revision::current(fixture.conn(), guild()).await.unwrap();
        assert_eq!(seen, second.revision);
        assert!(active::changed_since(fixture.conn(), (guild(), Places::All), seen, 10).await.unwrap().is_empty());
        let change = fixture.change(at(5)).await;
        change::lift(fixture.conn(), &change, (by_play(1).into(), None), chat(9)).await.unwrap();
        fixture.ban(new(by_play(3), None, None), at(6)).await;
        let changed = active::changed_since(fixture.conn(), (guild(), Places::All), seen, 10).await.unwrap();
        let told: Vec<_> = changed.iter().map(|ban| (ban.identifier(), ban.in_force(at(6)))).collect();
        assert_eq!(told, [(Some(by_play(1)), false), (Some(by_play(3)), true)]);
        assert_eq!(moderation_revision::current(fixture.conn(), other_guild()).await.unwrap(), 0);
    }

    async fn concurrent_bans_of_one_player_leave_one_in_force(fixture: &Fixture) {
        let bans = (0..8).map(|n| fixture.ban(new(by_play(1), None, Some(at(100 + n))), at(0)));
        let added = futures_util::future::join_all(bans).await;
        let closed: usize = added.iter().map(|one| one.closed.len()).sum();
        assert_eq!(closed, 7);
        assert_eq!(fixture.bans_of(by_play(1), None, at(1)).await.len(), 1);
        let mut revisions: Vec<_> = added.iter().map(|one| one.ban.revision).collect();
        revisions.sort_unstable();
        assert_eq!(revisions, (1..=8).collect::<Vec<_>>());
    }

    async fn history_pages_newest_first_and_filters(fixture: &Fixture) {
        for n in 0..5 {
            fixture.ban(new(by_play(n % 2), None, Some(at(100 + n))), at(n)).await;
        }
        let mut seen = Vec::new();
        let mut cursor = None;
        loop {
            let page = history::list(fixture.conn(), guild(), history::Filter::default(), (cursor, 2), at(50)).await.unwrap();
            let Some(last) = page.last() else { break };
            cursor = Some(last.ban_id);
            seen.extend(page.iter().map(|ban| ban.ban_id));
        }
        assert_eq!(seen.len(), 5);
        assert!(seen.windows(2).all(|pair| pair[0] > pair[1]));
        let count = async |filter, now| history::list(fixture.conn(), guild(), filter, (None, 100), now).await.unwrap().len();
        let active = |yes| history::Filter { active: Some(yes), ..Default::default() };
        assert_eq!((count(active(true), at(50)).await, count(active(false), at(50)).await), (2, 3));
        assert_eq!((count(active(true), at(103)).await, count(active(false), at(103)).await), (1, 4));
        let person = history::Filter { person: Some(by_play(0).into()), ..Default::default() };
        assert_eq!(count(person, at(50)).await, 3);
        let moderator = history::Filter { moderator: Some(chat(98)), ..Default::default() };
        assert_eq!(count(moderator, at(50)).await, 0);
        assert!(history::find(fixture.conn(), other_guild(), seen[0]).await.unwrap().is_none());
    }

    async fn only_the_newest_mirror_job_writes_on_a_ban(fixture: &Fixture) {
        let ban = fixture.ban(new(by_chat(1), None, None), at(0)).await.ban;
        let (old, newer) = (JobId(uuid::Uuid::now_v7()), JobId(uuid::Uuid::now_v7()));
        mirror::start(fixture.conn(), guild(), &[ban.ban_id], (chat(1), old)).await.unwrap();
        mirror::start(fixture.conn(), guild(), &[ban.ban_id], (chat(1), newer)).await.unwrap();
        assert!(mirror::finish(fixture.conn(), guild(), old, Ok(ban::MirrorState::Done)).await.unwrap().is_empty());
        mirror::finish(fixture.conn(), guild(), newer, Err("missing permissions")).await.unwrap();
        let found = history::find(fixture.conn(), guild(), ban.ban_id).await.unwrap().unwrap();
        assert_eq!(found.mirror_state, ban::MirrorState::Failed);
        assert_eq!(found.mirror_error.as_deref(), Some("missing permissions"));
        let done = mirror::finish(fixture.conn(), guild(), newer, Ok(ban::MirrorState::Done)).await.unwrap();
        assert_eq!((done[0].mirror_state, &done[0].mirror_error), (ban::MirrorState::Done, &None));
        assert!(mirror::is_wanted(fixture.conn(), guild(), by_chat(1).into(), at(1)).await.unwrap());
        let change = fixture.change(at(1)).await;
        change::lift(fixture.conn(), &change, (by_chat(1).into(), None), chat(9)).await.unwrap();
        assert!(!mirror::is_wanted(fixture.conn(), guild(), by_chat(1).into(), at(1)).await.unwrap());
    }

    async fn mutes_follow_the_same_rules(fixture: &Fixture) {
        let new = |expires_at| mute::NewMute {
            subject: by_chat(1),
            place: None,
            reason: "spam".to_owned(),
            moderator: chat(99),
            created_at: at(0),
            expires_at,
        };
        let change = fixture.change(at(0)).await;
        mute::add(fixture.conn(), &change, new(None)).await.unwrap();
        let second = mute::add(fixture.conn(), &change, new(Some(at(60)))).await.unwrap();
        assert_eq!(second.closed[0].lifted_how, Some(Lifted::Superseded));
        fixture.link(chat(1), play(1)).await;
        let person = Person::resolve(fixture.conn(), guild(), by_play(1)).await.unwrap();
        let found = async |now| mute::of_person(fixture.conn(), guild(), (person, None), now).await.unwrap().len();
        assert_eq!((found(at(59)).await, found(at(60)).await), (1, 0));
        assert_eq!(mute::list(fixture.conn(), (guild(), Places::All), at(1)).await.unwrap()[0].identifier(), Some(by_play(1)));
        assert_eq!(mute::guilds_with_lapsed(fixture.conn(), at(60), 10).await.unwrap(), vec![guild()]);
        let change = fixture.change(at(60)).await;
        assert_eq!(mute::close_lapsed(fixture.conn(), &change, 10).await.unwrap().len(), 1);
        let seen = change.revision - 1;
        let changed = mute::changed_since(fixture.conn(), (guild(), Places::All), seen, 10).await.unwrap();
        assert_eq!(changed[0].lifted_how, Some(Lifted::Expired));
    }
}
