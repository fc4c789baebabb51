//! The notice to the people of a guild while an operator has paused its jobs, or a class of all guilds' jobs.

use entities::job::Class;
use entities::job_pause;

use crate::response::PageError;
use crate::visit::GuildVisit;

/// The classes of guilds' jobs.
pub(super) const CLASSES: [Class; 5] =
    [Class::Interactive, Class::Default, Class::Bulk, Class::Delivery, Class::Quarantine];

pub(super) struct Paused {
    /// Which jobs wait.
    pub(super) jobs: &'static str,
    /// As the operator wrote it; empty: no reason given.
    pub(super) reason: String,
}

/// The pauses of this guild and of these classes.
pub(super) async fn read(visit: &GuildVisit, classes: &[Class]) -> Result<Vec<Paused>, PageError> {
    let concerns = |pause: &job_pause::Model| {
        pause.guild_id == Some(visit.guild.guild_id)
            || pause.class.is_some_and(|class| classes.contains(&class))
    };
    let pauses = job_pause::list(visit.read()).await?.into_iter().filter(concerns);
    let paused = |pause: job_pause::Model| Paused { jobs: jobs_of(pause.class), reason: pause.reason };
    Ok(pauses.map(paused).collect())
}

/// `None`: all jobs of the guild.
fn jobs_of(class: Option<Class>) -> &'static str {
    match class {
        None => "the jobs of this server",
        Some(Class::Interactive) => "syncs of single members, role changes and tickets on all servers",
        Some(Class::Default) => "bans on Discord and Shield imports on all servers",
        Some(Class::Bulk) => "syncs of all members on all servers",
        Some(Class::Delivery) => "webhooks and log channels of all servers",
        Some(Class::Maintenance) => "periodic tasks",
        Some(Class::Quarantine) => "jobs that crashed twice on all servers",
    }
}
