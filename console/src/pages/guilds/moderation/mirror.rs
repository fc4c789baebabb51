//! The copy of a ban on Discord, as the page of the ban shows it.

use entities::sanction::{self, Lifted, MirrorState};
use jobs::mirror::CANCELLED;

use super::Kind;
use crate::visit::GuildVisit;

pub(super) struct Mirror {
    pub(super) meaning: &'static str,
    pub(super) word: &'static str,
    /// Why, and what to do.
    pub(super) about: String,
    pub(super) job_url: Option<String>,
    /// What a button says that has it made.
    pub(super) button: Option<&'static str>,
}

impl Mirror {
    /// `None`: mutes have no copy. `may_be_asked_for`: it is held, or its job left it undone.
    pub(super) fn read(visit: &GuildVisit, row: &sanction::Model, may_be_asked_for: bool) -> Option<Self> {
        let is_over = !row.in_force(visit.now());
        let (meaning, word, about) = match row.mirror_state {
            MirrorState::None if !Kind(row.kind).is_ban() => return None,
            MirrorState::None => (
                "quiet",
                "not banned there",
                "Only bans of every game, of people with a known Discord account, go to Discord, while the setting \
                 for it is on.",
            ),
            MirrorState::Held if is_over => ("quiet", "not banned there", "It was not allowed on Discord."),
            MirrorState::Held => (
                "bad",
                "waits to go to Discord",
                "Its key has banned many people on Discord within an hour. It already counts in your games.",
            ),
            MirrorState::Protected => (
                "quiet",
                "not banned there",
                "The owner, admins, staff and bots are never banned on Discord by Guildhall.",
            ),
            MirrorState::Pending if is_over => ("info", "unbanning", ""),
            MirrorState::Pending => ("info", "banning", ""),
            MirrorState::Done if row.lifted_how == Some(Lifted::Superseded) => {
                ("quiet", "goes on", "The newer ban decides what is on Discord.")
            }
            MirrorState::Done if is_over => ("good", "lifted there too", ""),
            MirrorState::Done => ("good", "banned there too", ""),
            MirrorState::AlreadyBanned => {
                ("quiet", "banned by others", "The Discord ban was there before: Guildhall does not lift it.")
            }
            MirrorState::Failed if is_over => ("bad", "still banned there", ""),
            MirrorState::Failed => ("bad", "not banned there", ""),
        };
        let failed = row.mirror_error.as_deref().filter(|_| row.mirror_state == MirrorState::Failed);
        let job = row.mirror_job_id.filter(|_| visit.may("sync.write"));
        Some(Self {
            meaning,
            word,
            about: failed.map_or_else(|| about.to_owned(), explain),
            job_url: job.map(|job| visit.url(&format!("/jobs/{job}"))),
            // Of a superseded one the newer one decides.
            button: (may_be_asked_for && row.lifted_how != Some(Lifted::Superseded)).then_some(if is_over {
                "Lift on Discord too"
            } else {
                "Ban on Discord too"
            }),
        })
    }
}

/// What a failed copy means for the moderator, from the error of the platform.
fn explain(error: &str) -> String {
    if error == CANCELLED {
        return "Its job was cancelled.".to_owned();
    }
    if error.contains("knows no user") {
        return "Discord knows no user with this id. The ban still counts in your games.".to_owned();
    }
    if let Some(message) = error.strip_prefix("the platform refused: ") {
        return format!(
            "Discord refused it: {message}. The bot needs the permission Ban Members and a role above that of the \
             person. Then retry the job."
        );
    }
    format!("Discord: {error}. Guildhall retries automatically for a while.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_says_what_it_means() {
        let unknown = explain("the chat platform knows no user with this id");
        assert!(unknown.starts_with("Discord knows no user with this id."), "{unknown}");
        let refused = explain("the platform refused: Missing Permissions (code 50013)");
        assert!(refused.contains("refused it: Missing Permissions (code 50013). The bot needs"), "{refused}");
        let away = explain("PUT /guilds/:guild/bans/:user is unavailable: timed out");
        assert!(away.contains("timed out. Guildhall retries automatically"), "{away}");
    }
}
