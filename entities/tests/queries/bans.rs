//! Bans and mutes: superseding, expiry to the second, both accounts of a person, revisions, history, sweeps.

use entities::moderation_revision::{self, Change, Standing};
use entities::sanction::active::{Against, InForce};
use entities::sanction::change::{Lift, Target};
use entities::sanction::list::{self, Changes, List};
use entities::sanction::mirror::Mirror;
use entities::sanction::whole::Whole;
use entities::sanction::{self, MirrorState, active, change, expiry, history, mirror};
use entities::{
    ChatId, JobId, Lifted, Page, Person, PlaceId, Places, SanctionId, SanctionKind, Subject, Timestamp,
};

use crate::fixture::{Fixture, at, both_databases, by_chat, by_play, chat, guild, other_guild, place, play};

pub(crate) fn all_bans() -> List {
    all(SanctionKind::Ban)
}

fn all(kind: SanctionKind) -> List {
    List { guild: guild(), kind, places: Places::All }
}

pub(crate) fn bans(person: impl Into<Person>, place: Option<PlaceId>) -> Target {
    Target { kind: SanctionKind::Ban, person: person.into(), place }
}

pub(crate) fn new(
    subject: Subject,
    place: Option<PlaceId>,
    expires_at: Option<Timestamp>,
) -> change::NewSanction {
    change::NewSanction {
        kind: SanctionKind::Ban,
        subject,
        person: subject.into(),
        place,
        reason: "exploiting".to_owned(),
        moderator: chat(99),
        key: None,
        created_at: at(0),
        expires_at,
        number: None,
    }
}

impl Fixture {
    pub(crate) async fn ban(&self, mut ban: change::NewSanction, now: Timestamp) -> change::Created {
        let transaction = self.begin().await;
        ban.person = Person::resolve(&transaction, guild(), ban.subject).await.unwrap();
        let mut change = moderation_revision::begin(&transaction, guild(), now).await.unwrap();
        let added = change::create(&transaction, &mut change, vec![ban]).await.unwrap();
        transaction.commit().await.unwrap();
        added.into_iter().next().unwrap()
    }

    async fn lift(&self, change: &Change, target: Target, by: ChatId) -> Vec<sanction::Model> {
        let lift = Lift { target, only: None, by, reason: None };
        change::lift(self.conn(), change, &[lift]).await.unwrap().into_iter().flatten().collect()
    }

    /// A part of the whole list.
    pub(crate) async fn range(
        &self,
        list: List,
        now: i64,
        after: Option<SanctionId>,
        limit: u64,
    ) -> Vec<list::Listed> {
        let whole = Whole::begin(self.conn(), list, at(now)).await.unwrap();
        whole.range(self.conn(), after, limit).await.unwrap()
    }

    pub(crate) async fn changes(&self, list: List, since: i64, now: Timestamp) -> Changes {
        list::changes_since(self.conn(), list, since, now, 10).await.unwrap().unwrap()
    }

    pub(crate) async fn change(&self, now: Timestamp) -> Change {
        moderation_revision::begin(self.conn(), guild(), now).await.unwrap()
    }

    pub(crate) async fn bans_of(
        &self,
        subject: Subject,
        place: Option<PlaceId>,
        now: Timestamp,
    ) -> Vec<sanction::Model> {
        let person = Person::resolve(self.conn(), guild(), subject).await.unwrap();
        let mut found = active::of_person(self.conn(), guild(), person, now).await.unwrap();
        let mut same = active::of_subject(self.conn(), guild(), subject, now).await.unwrap();
        same.sort_by_key(|row| std::cmp::Reverse(row.end_order()));
        assert_eq!(same, found, "one query finds the same");
        found.retain(|row| {
            row.kind == SanctionKind::Ban
                && place.is_none_or(|place| row.place_id.is_none_or(|own| own == place))
        });
        found
    }
}

both_databases! {
    async fn a_new_ban_supersedes_the_old_one_and_its_expiry(fixture: &Fixture) {
        let short = fixture.ban(new(by_play(1), None, Some(at(60))), at(0)).await;
        assert!(short.closed.is_empty());
        let permanent = fixture.ban(new(by_play(1), None, None), at(10)).await;
        assert_eq!(permanent.closed[0].sanction_id, short.sanction.sanction_id);
        assert_eq!(permanent.closed[0].lifted_how, Some(Lifted::Superseded));
        assert!(permanent.sanction.revision > short.sanction.revision);
        let change = fixture.change(at(100)).await;
        assert!(expiry::sweep(fixture.conn(), &change, 10).await.unwrap().is_empty());
        let found = fixture.bans_of(by_play(1), None, at(100)).await;
        assert_eq!(found, vec![permanent.sanction]);
    }

    async fn a_ban_lapses_to_the_second_and_the_sweep_closes_it_once(fixture: &Fixture) {
        fixture.ban(new(by_play(1), None, Some(at(60))), at(0)).await;
        assert_eq!(fixture.bans_of(by_play(1), None, at(59)).await.len(), 1);
        assert!(fixture.bans_of(by_play(1), None, at(60)).await.is_empty());
        assert!(fixture.range(all_bans(), 60, None, 10).await.is_empty());
        assert!(expiry::guilds(fixture.conn(), None, at(59), 10).await.unwrap().is_empty());
        assert_eq!(expiry::guilds(fixture.conn(), None, at(60), 10).await.unwrap(), vec![guild()]);
        let change = fixture.change(at(61)).await;
        let closed = expiry::sweep(fixture.conn(), &change, 10).await.unwrap();
        assert_eq!(closed[0].lifted_how, Some(Lifted::Expired));
        assert_eq!(closed[0].revision, change.revision);
        assert!(expiry::sweep(fixture.conn(), &change, 10).await.unwrap().is_empty());
        assert!(expiry::guilds(fixture.conn(), None, at(60), 10).await.unwrap().is_empty());
    }

    async fn superseding_what_had_lapsed_unnoticed_says_so(fixture: &Fixture) {
        fixture.ban(new(by_play(1), None, Some(at(60))), at(0)).await;
        let next = fixture.ban(new(by_play(1), None, None), at(60)).await;
        assert_eq!(next.closed[0].lifted_how, Some(Lifted::Expired));
    }

    async fn the_schema_refuses_a_second_open_ban_of_one_identifier_and_place(fixture: &Fixture) {
        fixture.ban(new(by_play(1), None, None), at(0)).await;
        for place in [0, 5] {
            fixture.ban(new(by_play(1), Some(self::place(place)), None), at(0)).await;
        }
        fixture.ban(new(by_chat(1), None, None), at(0)).await;
        for place in ["NULL", "0", "5"] {
            let copy = format!(
                "INSERT INTO sanction (guild_id, kind, play_id, place_id, reason, moderator_id, created_at, mirror_state, revision)
                 SELECT guild_id, kind, play_id, place_id, reason, moderator_id, created_at, mirror_state, 1 FROM sanction
                 WHERE play_id IS NOT NULL AND coalesce(place_id, -1) = coalesce({place}, -1)"
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
        let wide = fixture.ban(new(by_play(1), None, Some(at(500))), at(0)).await.sanction;
        assert_eq!(fixture.bans_of(by_play(1), Some(place(6)), at(1)).await, vec![wide]);
        let both = fixture.bans_of(by_play(1), Some(place(5)), at(1)).await;
        assert_eq!(both.iter().map(|ban| ban.expires_at.is_none()).collect::<Vec<_>>(), [true, false]);
    }

    async fn a_list_is_read_in_parts_and_in_pages(fixture: &Fixture) {
        let mut ids = Vec::new();
        for player in 1..=5 {
            let end = (player == 3).then(|| at(60));
            ids.push(fixture.ban(new(by_play(player), None, end), at(0)).await.sanction.sanction_id);
        }
        let id_of = |rows: Vec<list::Listed>| rows.iter().map(|row| row.sanction_id).collect::<Vec<_>>();
        let range = async |now, after, limit| {
            id_of(fixture.range(all_bans(), now, after, limit).await)
        };
        assert_eq!(range(1, None, 2).await, ids[..2]);
        assert_eq!(range(1, Some(ids[1]), 10).await, ids[2..]);
        assert_eq!(range(60, Some(ids[1]), 10).await, ids[3..]);
        let page = async |cursor, limit| {
            let page = Page { cursor, limit };
            id_of(list::page(fixture.conn(), all_bans(), at(60), page).await.unwrap())
        };
        assert_eq!(page(None, 2).await, [ids[4], ids[3]]);
        assert_eq!(page(Some(ids[3]), 9).await, [ids[1], ids[0]]);
    }

    async fn a_ban_is_found_through_the_other_account_also_when_linked_later(fixture: &Fixture) {
        fixture.ban(new(by_chat(1), None, None), at(0)).await;
        assert!(fixture.bans_of(by_play(1), None, at(1)).await.is_empty());
        let before = Standing::read(fixture.conn(), guild()).await.unwrap().revision;
        fixture.link(chat(1), play(1)).await;
        let change = fixture.change(at(1)).await;
        let linked = Person { chat: Some(chat(1)), play: Some(play(1)) };
        assert_eq!(change::relink(fixture.conn(), &change, &[linked]).await.unwrap(), 1);
        assert_eq!(fixture.bans_of(by_play(1), None, at(1)).await.len(), 1);
        let listed = fixture.range(all_bans(), 1, None, 10).await;
        assert_eq!(listed[0].identifier(), Some(by_play(1)));
        assert_eq!(fixture.changes(all_bans(), before, at(1)).await.shown, listed);
        let person = Person::resolve(fixture.conn(), guild(), by_play(1)).await.unwrap();
        let gone = fixture.lift(&change, bans(person, None), chat(99)).await;
        assert_eq!(gone.len(), 1);
        assert!(fixture.bans_of(by_chat(1), None, at(1)).await.is_empty());
    }

    async fn unban_lifts_all_of_a_person_and_with_a_place_only_there(fixture: &Fixture) {
        for ban in [
            new(by_chat(1), None, None),
            new(by_play(1), None, Some(at(50))),
            new(by_play(1), Some(place(5)), None),
            new(by_play(2), None, None),
        ] {
            fixture.ban(ban, at(0)).await;
        }
        fixture.link(chat(1), play(1)).await;
        let person = Person::resolve(fixture.conn(), guild(), by_play(1)).await.unwrap();
        let change = fixture.change(at(100)).await;
        let there = fixture.lift(&change, bans(person, Some(place(5))), chat(9)).await;
        assert_eq!(there.len(), 1);
        let rest = fixture.lift(&change, bans(person, None), chat(9)).await;
        let mut how: Vec<_> = rest.iter().filter_map(|ban| ban.lifted_how).map(|how| how == Lifted::Lifted).collect();
        how.sort_unstable();
        assert_eq!(how, [false, true], "one had lapsed, one was in force");
        assert!(fixture.lift(&change, bans(person, None), chat(9)).await.is_empty());
        let nobody = Person::default();
        assert!(fixture.lift(&change, bans(nobody, None), chat(9)).await.is_empty());
        assert_eq!(fixture.bans_of(by_play(2), None, at(100)).await.len(), 1);
    }

    async fn changes_since_a_revision_are_the_new_and_the_lifted(fixture: &Fixture) {
        fixture.ban(new(by_play(1), None, None), at(0)).await;
        let second = fixture.ban(new(by_play(2), None, None), at(0)).await.sanction;
        let seen = Standing::read(fixture.conn(), guild()).await.unwrap().revision;
        assert_eq!(seen, second.revision);
        let none = fixture.changes(all_bans(), seen, at(1)).await;
        assert!(none.shown.is_empty() && none.gone.is_empty());
        let change = fixture.change(at(5)).await;
        let lifted = fixture.lift(&change, bans(by_play(1), None), chat(9)).await;
        fixture.ban(new(by_play(3), None, None), at(6)).await;
        let Changes { shown, gone } = fixture.changes(all_bans(), seen, at(6)).await;
        assert_eq!(shown.iter().map(list::Listed::identifier).collect::<Vec<_>>(), [Some(by_play(3))]);
        assert_eq!(gone, [lifted[0].sanction_id]);
        let up_to = async |limit| list::changes_since(fixture.conn(), all_bans(), seen, at(6), limit).await.unwrap();
        assert!(up_to(1).await.is_none(), "too many");
        assert!(up_to(2).await.is_some());
        // In the order of change, whichever account they name.
        fixture.ban(new(by_play(2), None, Some(at(60))), at(6)).await;
        let last = fixture.ban(new(by_chat(3), None, None), at(7)).await.sanction;
        let revisions = async || -> Vec<_> {
            let Changes { shown, .. } = fixture.changes(all_bans(), seen, at(7)).await;
            shown.iter().map(|row| row.revision).collect()
        };
        let changed = revisions().await;
        assert!(changed.is_sorted() && changed.last() == Some(&last.revision), "{changed:?}");
        // An older one changes with a link.
        let relinked = fixture.change(at(7)).await;
        let account = Person { chat: None, play: Some(play(2)) };
        assert_eq!(change::relink(fixture.conn(), &relinked, &[account]).await.unwrap(), 1);
        let changed = revisions().await;
        assert!(changed.is_sorted() && changed.last() == Some(&relinked.revision), "{changed:?}");
        assert_eq!(Standing::read(fixture.conn(), other_guild()).await.unwrap().revision, 0);
    }

    async fn concurrent_bans_of_one_player_leave_one_in_force(fixture: &Fixture) {
        let bans = (0..8).map(|n| fixture.ban(new(by_play(1), None, Some(at(100 + n))), at(0)));
        let added = futures_util::future::join_all(bans).await;
        let closed: usize = added.iter().map(|one| one.closed.len()).sum();
        assert_eq!(closed, 7);
        assert_eq!(fixture.bans_of(by_play(1), None, at(1)).await.len(), 1);
        let mut revisions: Vec<_> = added.iter().map(|one| one.sanction.revision).collect();
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
            let page = history::list(fixture.conn(), guild(), history::Filter::of(SanctionKind::Ban), Page { cursor, limit: 2 }, at(50)).await.unwrap();
            let Some(last) = page.last() else { break };
            cursor = Some(last.sanction_id);
            seen.extend(page.iter().map(|ban| ban.sanction_id));
        }
        assert_eq!(seen.len(), 5);
        assert!(seen.windows(2).all(|pair| pair[0] > pair[1]));
        let count = async |filter, now| history::list(fixture.conn(), guild(), filter, Page::first(100), now).await.unwrap().len();
        let active = |yes| history::Filter { active: Some(yes), ..history::Filter::of(SanctionKind::Ban) };
        assert_eq!((count(active(true), at(50)).await, count(active(false), at(50)).await), (2, 3));
        assert_eq!((count(active(true), at(103)).await, count(active(false), at(103)).await), (1, 4));
        let person = history::Filter { person: Some(by_play(0).into()), ..history::Filter::of(SanctionKind::Ban) };
        assert_eq!(count(person, at(50)).await, 3);
        let moderator = history::Filter { moderator: Some(chat(98)), ..history::Filter::of(SanctionKind::Ban) };
        assert_eq!(count(moderator, at(50)).await, 0);
        assert!(history::find(fixture.conn(), other_guild(), seen[0]).await.unwrap().is_none());
    }

    async fn only_the_newest_mirror_job_writes_on_a_ban(fixture: &Fixture) {
        let ban = fixture.ban(new(by_chat(1), None, None), at(0)).await.sanction;
        let (old, newer) = (JobId(uuid::Uuid::now_v7()), JobId(uuid::Uuid::now_v7()));
        let other = fixture.ban(new(by_chat(2), None, None), at(0)).await.sanction.sanction_id;
        let of_other = (other, Mirror { chat: chat(2), job: JobId(uuid::Uuid::now_v7()) });
        for job in [old, newer] {
            let mirrors = [(ban.sanction_id, Mirror { chat: chat(1), job }), of_other];
            mirror::start(fixture.conn(), guild(), &mirrors).await.unwrap();
        }
        let found = history::find(fixture.conn(), guild(), other).await.unwrap().unwrap();
        assert_eq!((found.mirror_job_id, found.mirror_chat_id), (Some(of_other.1.job), Some(chat(2))));
        assert!(mirror::finish(fixture.conn(), guild(), old, Ok(MirrorState::Done)).await.unwrap().is_empty());
        mirror::finish(fixture.conn(), guild(), newer, Err("missing permissions")).await.unwrap();
        let found = history::find(fixture.conn(), guild(), ban.sanction_id).await.unwrap().unwrap();
        assert_eq!(found.mirror_state, MirrorState::Failed);
        assert_eq!(found.mirror_error.as_deref(), Some("missing permissions"));
        let done = mirror::finish(fixture.conn(), guild(), newer, Ok(MirrorState::Done)).await.unwrap();
        assert_eq!((done[0].mirror_state, &done[0].mirror_error), (MirrorState::Done, &None));
    }

    async fn the_sanctions_of_a_guild_are_read_in_parts(fixture: &Fixture) {
        for account in 1..=4 {
            for place in [None, Some(place(1)), Some(place(2))] {
                fixture.ban(new(by_play(account), place, None), at(0)).await;
                fixture.ban(new(by_chat(account), place, None), at(0)).await;
            }
        }
        fixture.ban(new(by_play(3), None, Some(at(5))), at(0)).await;
        let (conn, now) = (fixture.conn(), at(5));
        for against in [Against::Chats, Against::Plays] {
            let all = active::of_guild(conn, guild(), against, now, None, 100).await.unwrap();
            assert_eq!(all.len(), if matches!(against, Against::Chats) { 12 } else { 11 }, "one is over");
            let mut together = active::of_guilds(conn, &[guild(), other_guild()], against, now, 100).await.unwrap();
            together.sort_by_key(|row| (row.chat_id, row.play_id, row.sanction_id));
            assert_eq!(together, all);
            for limit in 1..=5 {
                let mut parts: Vec<InForce> = Vec::new();
                loop {
                    let part = active::of_guild(conn, guild(), against, now, parts.last(), limit).await.unwrap();
                    if part.is_empty() {
                        break;
                    }
                    parts.extend(part);
                }
                assert_eq!(parts, all, "{limit}");
            }
        }
    }

    async fn mutes_follow_the_same_rules_beside_bans(fixture: &Fixture) {
        let mute = |expires_at| change::NewSanction { kind: SanctionKind::Mute, ..new(by_chat(1), None, expires_at) };
        let ban = fixture.ban(new(by_chat(1), None, None), at(0)).await.sanction;
        fixture.ban(mute(None), at(0)).await;
        let second = fixture.ban(mute(Some(at(60))), at(0)).await;
        assert_eq!(second.closed.len(), 1);
        assert_eq!(second.closed[0].lifted_how, Some(Lifted::Superseded));
        fixture.link(chat(1), play(1)).await;
        let person = Person::resolve(fixture.conn(), guild(), by_play(1)).await.unwrap();
        let found = async |now| active::of_person(fixture.conn(), guild(), person, now).await.unwrap();
        assert_eq!(found(at(59)).await, [ban.clone(), second.sanction.clone()]);
        assert_eq!(found(at(60)).await, [ban]);
        let mutes = all(SanctionKind::Mute);
        let listed = fixture.range(mutes, 1, None, 10).await;
        assert_eq!((listed.len(), listed[0].identifier()), (1, Some(by_play(1))));
        let filter = history::Filter::of(SanctionKind::Mute);
        assert_eq!(history::list(fixture.conn(), guild(), filter, Page::first(9), at(1)).await.unwrap().len(), 2);
        assert_eq!(expiry::guilds(fixture.conn(), None, at(60), 10).await.unwrap(), vec![guild()]);
        let change = fixture.change(at(60)).await;
        assert_eq!(expiry::sweep(fixture.conn(), &change, 10).await.unwrap().len(), 1);
        let seen = change.revision - 1;
        assert_eq!(fixture.changes(mutes, seen, at(60)).await.gone, [second.sanction.sanction_id]);
        assert!(fixture.changes(all_bans(), seen, at(60)).await.gone.is_empty());
    }
}
