//! Shared by imports of links and of bans: how many lines, what their fields may be, and which import can be undone.

use entities::import::{self, Kind};
use entities::{GuildId, ImportId};
use serde_json::Value;

use crate::endpoints::prelude::*;
use crate::request::parts::{Field, whole};

/// Lines of one call (docs/rules.md 3).
pub(crate) const LINES_MAX: usize = 1_000;

/// The value; `Err`: it is not allowed. Null and an empty text are absent.
pub(crate) fn optional<T: Field>(sent: Option<&Value>) -> Result<Option<T>, ()> {
    match sent.filter(|sent| !sent.is_null() && sent.as_str() != Some("")) {
        Some(sent) => T::read(&whole(sent)).map(Some).ok_or(()),
        None => Ok(None),
    }
}

/// The guild's import, which was not undone yet.
pub(crate) async fn open(
    work: &UnitOfWork<'_>,
    guild: GuildId,
    id: ImportId,
    kind: Kind,
) -> Result<import::Model, ApiError> {
    let row = import::find_for_update(work.tx(), guild, id).await?;
    let row = row.filter(|row| row.kind == kind && row.undone_until() > work.now()).or_not_found("import")?;
    if row.undone_at.is_some() {
        return Err(ApiError::conflict("import_undone", "this import is undone already"));
    }
    Ok(row)
}
