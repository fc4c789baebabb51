//! The erasure of an account from the whole instance (docs/operations.md): its links and its places as staff end first, as if
//! staff had ended them, then its id goes from every table. Callers: `cli/src/commands/erase.rs` and
//! `worker/src/erase_account.rs`; the columns: `entities/src/erasure.rs`.

use std::collections::{BTreeMap, BTreeSet};

use entities::audit_entry::NewEntry;
use entities::erasure::nicknames::{self, Member};
use entities::erasure::{Fate, PLACES, audit};
use entities::{AuditId, ChatId, Conn, GuildId, Person, Subject, link, staff_member, staff_session};
use queue::run::{JobContext, JobError};
use runtime::{Context, Database, Event, UnitOfWork};
use sea_orm::DbErr;
use serde_json::json;

use crate::linking::{Author, Linking};

/// Rows in one transaction.
const BATCH: u64 = 500;

/// Entries of the audit log in one transaction, which sends a statement for each.
const ENTRIES: u64 = 100;

/// Rows of a table that name the account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    pub table: &'static str,
    pub fate: Fate,
    pub rows: u64,
}

/// What the database has of the account, table by table.
pub async fn find(conn: &impl Conn, account: Subject) -> Result<Vec<Found>, DbErr> {
    let mut all: Vec<Found> = Vec::new();
    for place in &PLACES {
        let rows = place.count(conn, account).await?;
        // How it is said matters here, not what else is set.
        let fate = if let Fate::Pseudonym(_) = place.fate { Fate::Pseudonym("") } else { place.fate };
        match all.iter_mut().find(|found| (found.table, found.fate) == (place.table, fate)) {
            Some(found) => found.rows += rows,
            None => all.push(Found { table: place.table, fate, rows }),
        }
    }
    let (mut rows, mut after) = (0, None);
    loop {
        let entries = audit::naming(conn, account, after, BATCH).await?;
        let Some(last) = entries.last() else { break };
        after = Some(last.audit_id);
        let named = entries.into_iter().filter_map(|entry| audit::erased(entry, account, account));
        rows += named.count() as u64;
    }
    for member in former(conn, account).await? {
        let mut after = None;
        loop {
            let mut entries = nicknames::syncs(conn, &member, after, BATCH).await?;
            let Some(last) = entries.last() else { break };
            after = Some(last.audit_id);
            rows +=
                entries.iter_mut().map(|entry| u64::from(nicknames::take(&mut entry.metadata))).sum::<u64>();
        }
    }
    all.push(Found { table: "audit_entry", fate: Fate::Pseudonym(""), rows });
    Ok(all.into_iter().filter(|found| found.rows > 0).collect())
}

/// Who is or was linked to a game account, and may have nicknames from it.
async fn former(conn: &impl Conn, account: Subject) -> Result<BTreeSet<Member>, DbErr> {
    match account {
        Subject::Chat(_) => Ok(BTreeSet::new()),
        Subject::Play(play) => nicknames::members(conn, play).await,
    }
}

/// An account that no platform has: stands for an erased one in everything that is kept of it.
fn pseudonym(account: Subject) -> Result<Subject, DbErr> {
    let id = match account {
        Subject::Chat(_) => 9_000_000_000_000_000_000 + i64::from(rand::random::<u32>()),
        Subject::Play(_) => 9_000_000_000_000_000 + i64::from(rand::random::<u32>()),
    };
    id.to_string().parse().map_err(|error| DbErr::Custom(format!("{error}")))
}

/// Who erases: a command, or a job.
pub trait Eraser: Sync {
    type Error: From<DbErr>;

    fn database(&self) -> &Database;

    fn begin(&self) -> impl Future<Output = Result<UnitOfWork, Self::Error>> + Send;
}

impl Eraser for Context {
    type Error = DbErr;

    fn database(&self) -> &Database {
        &self.database
    }

    async fn begin(&self) -> Result<UnitOfWork, DbErr> {
        UnitOfWork::begin(self).await
    }
}

impl Eraser for JobContext {
    type Error = JobError;

    fn database(&self) -> &Database {
        self.database()
    }

    async fn begin(&self) -> Result<UnitOfWork, JobError> {
        self.begin().await
    }
}

/// Erases the account. Done again it finds nothing; stopped, it goes on when it is repeated.
pub async fn erase<E: Eraser>(eraser: &E, account: Subject, author: Author) -> Result<(), E::Error> {
    // The entries that say so go at the end.
    let former = former(eraser.database().read(), account).await?;
    end_memberships(eraser, account, &author).await?;
    let pseudonym = pseudonym(account)?;
    for place in &PLACES {
        let mut rows = 1;
        while rows > 0 {
            let work = eraser.begin().await?;
            rows = place.erase(work.tx(), account, pseudonym, BATCH).await?;
            work.commit().await?;
        }
    }
    let mut erased = BTreeMap::new();
    for member in &former {
        erase_nicknames(eraser, member, &mut erased).await?;
    }
    let mut after = None;
    loop {
        let mut work = eraser.begin().await?;
        let told = std::mem::take(&mut erased);
        after = erase_entries(&mut work, (account, pseudonym), after, told, &author).await?;
        if after.is_none() {
            // Caches of all processes.
            work.announce([Event::Resync]);
        }
        work.commit().await?;
        if after.is_none() {
            return Ok(());
        }
    }
}

/// Ends the links and the places as staff.
async fn end_memberships<E: Eraser>(eraser: &E, account: Subject, author: &Author) -> Result<(), E::Error> {
    let database = eraser.database();
    let links = match account {
        Subject::Chat(chat) => link::of_chat(database.read(), chat).await?,
        Subject::Play(play) => link::of_play(database.read(), play).await?,
    };
    for found in links {
        let mut work = eraser.begin().await?;
        end_link(&mut work, &found, account, author.clone()).await?;
        // The safety net of the workers finds the job.
        work.commit().await?;
    }
    let Some(chat) = account.chat() else { return Ok(()) };
    for guild in staff_member::guilds_of(database.read(), chat).await? {
        let mut work = eraser.begin().await?;
        end_staff(&mut work, guild, chat, author).await?;
        work.commit().await?;
    }
    Ok(())
}

/// Of the entries about syncs of a member; counts them.
async fn erase_nicknames<E: Eraser>(
    eraser: &E,
    member: &Member,
    erased: &mut BTreeMap<GuildId, u64>,
) -> Result<(), E::Error> {
    let mut after = None;
    loop {
        let work = eraser.begin().await?;
        let entries = nicknames::syncs(work.tx(), member, after, ENTRIES).await?;
        after = entries.last().map(|entry| entry.audit_id);
        for entry in entries {
            if nicknames::erase(work.tx(), entry).await? {
                *erased.entry(member.0).or_default() += 1;
            }
        }
        work.commit().await?;
        if after.is_none() {
            return Ok(());
        }
    }
}

/// Unless the member has linked another account meanwhile.
async fn end_link(
    work: &mut UnitOfWork,
    found: &link::Model,
    account: Subject,
    author: Author,
) -> Result<(), DbErr> {
    let mut linking = Linking::begin(work, found.guild_id, author).await?.erasing();
    let link = link::find_by_chat(linking.tx(), found.guild_id, found.chat_id).await?;
    let Some(link) = link.filter(|link| Person::from(link).accounts().any(|of| of == account)) else {
        return Ok(());
    };
    linking.unlink(&link).await.map(drop).map_err(|error| DbErr::Custom(error.to_string()))
}

async fn end_staff(
    work: &mut UnitOfWork,
    guild: GuildId,
    chat: ChatId,
    author: &Author,
) -> Result<(), DbErr> {
    let ended = staff_session::end_open(work.tx(), guild, chat).await?;
    work.announce(ended.map(|session| Event::SessionEnded { guild, session: session.session_id }));
    if staff_member::delete(work.tx(), guild, chat).await?.is_some() {
        work.announce([Event::StaffChanged { guild }]);
        let (action, target) = ("staff_members.delete", chat.to_string());
        let entry = NewEntry { guild, action, target, metadata: json!({}) };
        work.audit(author.actor.clone(), author.signed(entry));
    }
    Ok(())
}

/// Of the next entries; returns the last one. The guilds' logs say how many were erased, with those `erased` before.
async fn erase_entries(
    work: &mut UnitOfWork,
    (account, pseudonym): (Subject, Subject),
    after: Option<AuditId>,
    mut erased: BTreeMap<GuildId, u64>,
    author: &Author,
) -> Result<Option<AuditId>, DbErr> {
    let entries = audit::naming(work.tx(), account, after, ENTRIES).await?;
    let last = entries.last().map(|entry| entry.audit_id);
    for entry in entries {
        let guild = entry.guild_id;
        if audit::erase(work.tx(), entry, account, pseudonym).await? {
            *erased.entry(guild).or_default() += 1;
        }
    }
    for (guild, entries) in erased {
        let (action, target) = ("accounts.erase", pseudonym.to_string());
        let entry = NewEntry { guild, action, target, metadata: json!({ "entries": entries }) };
        work.audit(author.actor.clone(), author.signed(entry));
    }
    Ok(last)
}
