//! DELETE /guilds/:guildId/keys/:publicId (docs/rules.md 1)

use entities::api_key;
use runtime::Event;

use crate::endpoints::guilds::keys::record::PublicId;
use crate::endpoints::prelude::*;

pub(crate) fn operation() -> Operation {
    Operation::new("revokeKey", "Revoke a key")
        .about("For good. Every process refuses the key within a second. A revoked key stays in the list.")
        .message("key revoked")
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let PublicId(public_id) = call.path("publicId")?;
    let mut work = UnitOfWork::begin(&call).await?;
    api_key::find(work.tx(), call.guild(), &public_id).await?.or_not_found("key")?;
    let Some(key) = api_key::revoke(work.tx(), &public_id, work.now()).await? else {
        return Ok(Reply::message("nothing to change: the key was revoked before"));
    };
    work.audit("keys.revoke", &public_id, json!({ "name": key.name }));
    work.announce(Event::KeyChanged { public_id });
    work.commit(Reply::message("key revoked")).await
}
