//! `guildhall keys revoke`.

use entities::api_key;
use runtime::Event;
use serde_json::json;

use super::public_id::{KeyArgs, require};
use crate::operator::OperatorArgs;
use crate::output;

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    key: KeyArgs,
    #[command(flatten)]
    operator: OperatorArgs,
}

pub(super) async fn run(args: Args) -> anyhow::Result<()> {
    let public_id = args.key.public_id()?;
    let mut unit = args.operator.begin().await?;
    let known = require(unit.tx(), &public_id).await?;
    let Some(key) = api_key::revoke(unit.tx(), &public_id, unit.now()).await? else {
        let at = output::time_or_dash(known.revoked_at);
        unit.commit().await?;
        return output::print(&format!("key {public_id} was already revoked, {at}"));
    };
    unit.audit(key.guild_id, "keys.revoke", &public_id, json!({ "name": key.name })).await?;
    unit.announce([Event::KeyChanged { public_id: public_id.clone() }]);
    unit.commit().await?;
    output::print(&format!("revoked key {public_id} of guild {}", key.guild_id))
}
