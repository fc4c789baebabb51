//! GET /guilds/:guildId/keys (docs/rules.md 1)

use entities::{KeyId, api_key};

use crate::endpoints::guilds::keys::record::ApiKey;
use crate::endpoints::prelude::*;

#[derive(Serialize, ToSchema)]
pub(crate) struct ApiKeys {
    keys: Vec<ApiKey>,
    #[schema(required, value_type = Option<i64>, example = 17)]
    next_cursor: Option<KeyId>,
}

pub(crate) fn operation() -> Operation {
    Operation::new("listKeys", "API keys, newest first")
        .about("Also expired and revoked ones. Never with their secrets.")
        .paged::<KeyId>()
        .data::<ApiKeys>()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let page = call.page::<KeyId>()?;
    let (now, rows) = (call.now(), api_key::newest(call.read(), call.guild(), page.to_fetch()).await?);
    let keys = rows.iter().map(|row| ApiKey::new(row, now)).collect();
    page.reply(keys, |key: &ApiKey| key.id, |keys, next_cursor| ApiKeys { keys, next_cursor })
}
