//! The settings by which days, weeks and months of the caller's guild begin (docs/rules.md 6).

use entities::guild::{self, Settings};
pub(crate) use entities::period::begin;

use crate::call::Call;
use crate::response::error::{ApiError, OrNotFound};

/// The settings of the caller's guild.
pub(crate) async fn settings(call: &Call) -> Result<Settings, ApiError> {
    Ok(guild::find(call.read(), call.guild()).await?.or_not_found("guild")?.settings())
}
