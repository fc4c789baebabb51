//! `guildhall keys rotate`: a new key like an old one, which stays valid for a while.

use anyhow::Context as _;
use chrono::TimeDelta;
use entities::api_key;
use entities::key_text::KeyText;
use runtime::Event;

use super::create::show;
use super::public_id::{KeyArgs, require};
use crate::operator::{OperatorArgs, create_key};
use crate::{duration, output};

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    key: KeyArgs,
    /// How long the old key stays valid, at most; it keeps an earlier expiry
    #[arg(long, value_name = "DURATION", default_value = "24h", value_parser = duration::parse)]
    overlap: TimeDelta,
    /// Time until the new key expires, such as 90d [default: the lifetime of the old key, if it has one]
    #[arg(long, value_name = "DURATION", value_parser = duration::parse)]
    expires_in: Option<TimeDelta>,
    #[command(flatten)]
    operator: OperatorArgs,
}

pub(super) async fn run(args: Args) -> anyhow::Result<()> {
    let public_id = args.key.public_id()?;
    let mut unit = args.operator.begin().await?;
    let (text, now) = (KeyText::generate(), unit.now());
    let before = require(unit.tx(), &public_id).await?;
    let after = api_key::expire(unit.tx(), &public_id, now + args.overlap, now).await?;
    let after = after.with_context(|| {
        format!("key {public_id} is revoked or expired; make another with `guildhall keys create`")
    })?;
    // The original lifetime of the key, not what is left of it.
    let key = before.successor(text.clone(), args.expires_in, now);
    let new = create_key(unit.tx(), key, now).await?;
    unit.audit(after.guild_id, "keys.rotate", &public_id, before.rotated(&after, &new));
    output::note(&format!("key {public_id} expires {}", output::time_or_dash(after.expires_at)));
    show(&new, &text)?;
    unit.announce([public_id, new.public_id].map(|public_id| Event::KeyChanged { public_id }));
    unit.commit().await
}
