//! What the guild has recorded about a person, with or without a link, and what the viewer may see of it.

use entities::audit_entry::{self, Filter};
use entities::{Page as Part, Person, sanction};
use people::Needs;

use crate::pages::guilds::audit::{self, Sentence};
use crate::pages::guilds::moderation::{Row, shown};
use crate::response::PageError;
use crate::visit::GuildVisit;

/// Bans and mutes of one page; the list of moderation has the others.
const SANCTIONS: u64 = 50;
/// Audit entries of one page.
const ENTRIES: u64 = 10;

/// The viewer's permissions that matter on the page of a person.
pub(super) struct May(Vec<&'static str>);

impl May {
    pub(super) fn of(visit: &GuildVisit) -> Self {
        let all = [
            "sync.write",
            "links.write",
            "roles.write",
            "moderation.write",
            "moderation.read",
            "bindings.read",
            "audit.read",
        ];
        let admin = visit.rights.may(Needs::Admin).then_some("admin");
        Self(all.into_iter().filter(|name| visit.may(name)).chain(admin).collect())
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.0.contains(&name)
    }
}

/// Active and ended bans and mutes of the known accounts.
pub(super) async fn sanctions(visit: &GuildVisit, person: Person) -> Result<(Vec<Row>, Vec<Row>), PageError> {
    if !visit.may("moderation.read") {
        return Ok(Default::default());
    }
    let (conn, guild, now) = (visit.read(), visit.guild.guild_id, visit.now());
    // Active ones are read separately: they may be older than a page of ended ones.
    let active = sanction::active::of_person(conn, guild, person, now).await?;
    let mut ended = sanction::history::of_person(conn, guild, person, SANCTIONS).await?;
    ended.retain(|row| !row.in_force(now));
    Ok((shown(visit, &active).await?, shown(visit, &ended).await?))
}

/// The newest entries about these accounts.
pub(super) async fn audit(visit: &GuildVisit, targets: &[String]) -> Result<Vec<Sentence>, PageError> {
    if !visit.may("audit.read") {
        return Ok(Vec::new());
    }
    let (conn, guild) = (visit.read(), visit.guild.guild_id);
    let mut rows = Vec::new();
    for target in targets {
        let about = Filter { target: Some(target), ..Filter::default() };
        rows.extend(audit_entry::list(conn, guild, about, Part::first(ENTRIES)).await?);
    }
    rows.sort_by_key(|row| std::cmp::Reverse(row.audit_id.get()));
    rows.truncate(usize::try_from(ENTRIES).unwrap_or(usize::MAX));
    audit::sentences(visit, &rows).await
}
