//! /apply: pages on which members apply. Whoever is signed in and a member of the guild sees what people can apply for there, and
//! what they have sent themselves; for all others there is nothing (docs/rules.md 7).

mod answers;
pub(crate) mod guild;
pub(crate) mod panel;
mod sent;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use entities::{GuildId, application_panel, guild as guilds};
use futures_util::{StreamExt, stream};
use people::Rights;

use crate::response::PageError;
use crate::visit::Visit;

/// A page that only links here waits for the chat platform no longer than this.
const PATIENCE: Duration = Duration::from_secs(3);
/// Guilds that are asked about at once.
const AT_ONCE: usize = 8;

/// The guild that the address names, and the member's rights there.
async fn admitted(visit: &Visit) -> Result<(guilds::Model, Arc<Rights>), PageError> {
    let (guild, rights) = visit.guild(visit.param("guild")?).await?;
    if rights.member { Ok((guild, Arc::new(rights))) } else { Err(PageError::NotFound) }
}

/// In which of these guilds the person can apply now. A guild whose members the platform does not tell is left out.
pub(super) async fn open_to(visit: &Visit, guilds: &[GuildId]) -> Result<HashSet<GuildId>, PageError> {
    let open = application_panel::guilds_with_open(visit.read(), guilds).await?;
    let asked = stream::iter(open).map(async |guild| {
        let found = tokio::time::timeout(PATIENCE, visit.guild(guild)).await;
        matches!(found, Ok(Ok((_, rights))) if rights.member).then_some(guild)
    });
    Ok(asked.buffer_unordered(AT_ONCE).filter_map(async |guild| guild).collect().await)
}
