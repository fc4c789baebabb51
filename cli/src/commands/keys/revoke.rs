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
    /// Also revoke the keys that it made, those that they made, and so on
    #[arg(long)]
    with_descendants: bool,
    #[command(flatten)]
    operator: OperatorArgs,
}

pub(super) async fn run(args: Args) -> anyhow::Result<()> {
    let public_id = args.key.public_id()?;
    let mut unit = args.operator.begin().await?;
    let known = require(unit.tx(), &public_id).await?;
    let (guild, now) = (known.guild_id, unit.now());
    let own = api_key::revoke(unit.tx(), &public_id, now).await?;
    let descendants = if args.with_descendants {
        api_key::revoke_descendants(unit.tx(), guild, &public_id, now).await?
    } else {
        Vec::new()
    };
    for key in own.iter().chain(&descendants) {
        let metadata = json!({ "name": key.name, "parent": key.parent });
        unit.audit(guild, "keys.revoke", &key.public_id, metadata);
        unit.announce([Event::KeyChanged { public_id: key.public_id.clone() }]);
    }
    unit.commit().await?;
    match own {
        Some(_) => output::print(&format!("revoked key {public_id} of guild {guild}"))?,
        None => {
            let at = output::time_or_dash(known.revoked_at);
            output::print(&format!("key {public_id} was already revoked, {at}"))?;
        }
    }
    descendants.iter().try_for_each(|key| {
        let parent = key.parent.as_deref().unwrap_or_default();
        output::print(&format!("revoked key {}, which {parent} made", key.public_id))
    })
}
