//! /console/guilds/:guild/audit/export: the entries that match, as a file that is made while it is sent. It is bounded, and
//! says where it ends.

use bytes::Bytes;
use entities::audit_entry::{self, Model};
use entities::{AuditId, Page as Part, audit_chain};
use http::Method;
use sea_orm::DbErr;
use serde_json::json;
use tokio::sync::mpsc;
use tracing::Instrument;

use super::filter::AuditFilter;
use super::names::Names;
use super::show;
use crate::response::body::{Body, Broken};
use crate::response::exports::Slot;
use crate::response::{PageError, Response};
use crate::visit::GuildVisit;

/// Entries of a file: its reader has one of few places.
const ROWS_MAX: u64 = 100_000;
/// Entries of a part, which is read at once.
const BATCH: u64 = 200;
const HEAD: &str = "id,created_at,action,source,actor_id,target_id,key_id,request_id,metadata,position,hash,actor,target,sentence\r\n";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Csv,
    Json,
}

impl Format {
    fn head(self) -> &'static str {
        if self == Self::Json { "{\"entries\":[\n" } else { HEAD }
    }

    /// Between two lines; those of CSV end with theirs.
    fn between(self) -> &'static str {
        if self == Self::Json { ",\n" } else { "" }
    }

    /// The newest hash is there for whoever keeps the file.
    fn tail(self, last: Option<AuditId>, newest: Option<&[u8]>) -> String {
        if self == Self::Csv {
            return String::new();
        }
        format!("\n],\"before\":{},\"newest_hash\":{}}}\n", json!(last), json!(newest.map(hex::encode)))
    }

    /// With the names of now, which are not a part of the log.
    fn line(self, entry: &Model, [actor, target, sentence]: [String; 3]) -> String {
        let at = entry.created_at.format("%Y-%m-%dT%H:%M:%SZ").to_string();
        let custom = entry.source == audit_entry::Source::Custom;
        let source = if custom { "custom" } else { "service" };
        if self == Self::Json {
            let line = json!({
                "id": entry.audit_id, "created_at": at, "action": entry.action, "source": source,
                "actor_id": entry.actor_id.to_string(), "target_id": entry.target_id, "key_id": entry.key_id,
                "request_id": entry.request_id, "metadata": entry.metadata, "position": entry.position,
                "hash": entry.hash.as_ref().map(hex::encode),
                "actor": actor, "target": target, "sentence": sentence,
            });
            return line.to_string();
        }
        let key = entry.key_id.map(|key| key.to_string()).unwrap_or_default();
        let cells = [
            entry.audit_id.to_string(),
            at,
            entry.action.clone(),
            source.to_owned(),
            entry.actor_id.to_string(),
            entry.target_id.clone(),
            key,
            entry.request_id.clone().unwrap_or_default(),
            entry.metadata.to_string(),
            entry.position.map(|position| position.to_string()).unwrap_or_default(),
            entry.hash.as_ref().map(hex::encode).unwrap_or_default(),
            actor,
            target,
            sentence,
        ];
        cells.map(|text| cell(&text)).join(",") + "\r\n"
    }
}

/// In quotes; a value that a spreadsheet would run as a formula is made text.
fn cell(text: &str) -> String {
    let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']);
    format!("\"{}{}\"", if formula { "'" } else { "" }, text.replace('"', "\"\""))
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Response, PageError> {
    let format = if visit.query.text("format") == "json" { Format::Json } else { Format::Csv };
    let before = visit.query.read::<AuditId>("before");
    let filter = match AuditFilter::read(&visit).await? {
        Ok(_) if visit.query.has("before") && before.is_none() => {
            let problem = "Enter the number in the name of the file: digits only.".to_owned();
            return show(&visit, Err(("before", problem.into()))).await;
        }
        Ok(filter) => filter,
        Err(wrong) => return show(&visit, Err(wrong)).await,
    };
    let slot = visit.console.exports.enter(visit.session.row.user_id)?;
    let (conn, guild) = (visit.read(), visit.guild.guild_id);
    let last = audit_entry::end_of_list(conn, guild, filter.listing(), before, ROWS_MAX).await?;
    // The name of a truncated file has the number of the next entry.
    let part = last.map(|id| format!("-before-{id}")).unwrap_or_default();
    let (content_type, ending) = match format {
        Format::Csv => ("text/csv; charset=utf-8", "csv"),
        Format::Json => ("application/json", "json"),
    };
    let (send, parts) = mpsc::channel(1);
    if visit.request.method != Method::HEAD {
        let tracker = visit.context().shutdown.tracker().clone();
        let sending = async move {
            let file = File { visit, filter, format, cursor: before, last };
            file.send(&slot, &send).await;
        };
        tracker.spawn(sending.in_current_span());
    }
    Ok(Response::download(format!("audit-{guild}{part}.{ending}"), content_type, Body::Parts(parts)))
}

/// A file that is being made.
struct File {
    visit: GuildVisit,
    filter: AuditFilter,
    format: Format,
    /// The last entry that was written.
    cursor: Option<AuditId>,
    /// The last one of the file, if more follow.
    last: Option<AuditId>,
}

impl File {
    /// Runs until it is complete, or its client has left.
    async fn send(mut self, slot: &Slot, to: &mpsc::Sender<Result<Bytes, Broken>>) {
        let mut begun = false;
        loop {
            let part = slot.part(self.part(begun)).await;
            if let Err(error) = &part {
                tracing::warn!(%error, "cannot write the rest of an export");
            }
            let more = matches!(part, Ok((_, true)));
            if to.send(part.map(|(part, _)| part).map_err(|_| Broken)).await.is_err() || !more {
                return;
            }
            begun = true;
        }
    }

    /// The next part, and whether there are more.
    async fn part(&mut self, begun: bool) -> Result<(Bytes, bool), DbErr> {
        let (guild, place) = (self.visit.guild.guild_id, Part { cursor: self.cursor, limit: BATCH });
        let turn = self.visit.console.host.turn(guild).await;
        let mut entries = audit_entry::list(self.visit.read(), guild, self.filter.listing(), place).await?;
        drop(turn);
        let more =
            entries.len() as u64 == BATCH && entries.iter().all(|entry| Some(entry.audit_id) != self.last);
        entries.retain(|entry| self.last.is_none_or(|last| entry.audit_id >= last));
        self.cursor = entries.last().map(|entry| entry.audit_id).or(self.cursor);
        let names = Names::read(&self.visit, &entries).await.ok();
        let named =
            |entry: &Model| names.as_ref().map(|names| names.told(&self.visit, entry)).unwrap_or_default();
        let lines: Vec<_> = entries.iter().map(|entry| self.format.line(entry, named(entry))).collect();
        let mut text = if begun { self.format.between() } else { self.format.head() }.to_owned();
        if begun && lines.is_empty() {
            text.clear();
        }
        text += &lines.join(self.format.between());
        if !more {
            let [log, _] = audit_chain::of_guild(self.visit.read(), guild).await?;
            text += &self.format.tail(self.last, log.newest_hash());
        }
        Ok((text.into(), more))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_and_no_formulas() {
        assert_eq!(cell("a \"b\", c"), "\"a \"\"b\"\", c\"");
        for begin in ["=", "+", "-", "@", "\t", "\r", "\n"] {
            assert_eq!(cell(&format!("{begin}1")), format!("\"'{begin}1\""), "{begin:?}");
        }
        assert_eq!(cell(""), "\"\"");
    }
}
