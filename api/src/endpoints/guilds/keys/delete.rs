//! DELETE /guilds/:guildId/keys/:publicId (docs/rules.md 1)

use entities::api_key;
use runtime::Event;

use crate::endpoints::guilds::keys::record::PublicId;
use crate::endpoints::prelude::*;

request! {
    pub(crate) struct RevokeKeyQuery {
        /// Also the keys that this key made, those that they made, and so on.
        descendants: Option<bool>,
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct RevokedKeys {
    /// Public ids of the keys that this call revoked.
    #[schema(example = json!(["k3y8ab1c"]))]
    revoked: Vec<String>,
}

pub(crate) fn operation() -> Operation {
    Operation::new("revokeKey", "Revoke a key")
        .about("Permanent: every process refuses the key within a second. A revoked key stays in the list.")
        .query::<RevokeKeyQuery>()
        .data::<RevokedKeys>()
        .message("key revoked")
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let PublicId(public_id) = call.path("publicId")?;
    let RevokeKeyQuery { descendants } = call.query()?;
    let mut work = UnitOfWork::begin(&call).await?;
    api_key::find(work.tx(), call.guild(), &public_id).await?.or_not_found("key")?;
    let mut keys: Vec<_> = api_key::revoke(work.tx(), &public_id, work.now()).await?.into_iter().collect();
    if descendants == Some(true) {
        keys.extend(api_key::revoke_descendants(work.tx(), call.guild(), &public_id, work.now()).await?);
    }
    let message = match keys.len() {
        0 => "nothing to change: the key was revoked before".to_owned(),
        1 => "key revoked".to_owned(),
        several => format!("{several} keys revoked"),
    };
    for key in &keys {
        work.audit("keys.revoke", &key.public_id, json!({ "name": key.name, "parent": key.parent }));
        work.announce([Event::KeyChanged { public_id: key.public_id.clone() }]);
    }
    let revoked = RevokedKeys { revoked: keys.into_iter().map(|key| key.public_id).collect() };
    work.commit(Reply::data(&revoked)?.with_message(message)).await
}
