//! /console/guilds/:guild/audit/export: the entries that match, as a file. It is bounded, and says where it ends.

use entities::audit_entry::{self, Model};
use entities::{AuditId, Page as Part};
use serde_json::json;

use super::filter::AuditFilter;
use super::show;
use crate::answer::{Answer, PageError};
use crate::visit::GuildVisit;

/// Entries of a file.
const ROWS_MAX: usize = 100_000;
/// Bytes of a file: it is made in memory.
const BYTES_MAX: usize = 32 * 1024 * 1024;
/// Entries read at once.
const BATCH: u64 = 1_000;
const HEAD: &str = "id,created_at,action,source,actor_id,target_id,key_id,request_id,metadata\r\n";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Csv,
    Json,
}

impl Format {
    fn line(self, entry: &Model) -> String {
        let at = entry.created_at.format("%Y-%m-%dT%H:%M:%SZ").to_string();
        let custom = entry.source == audit_entry::Source::Custom;
        let source = if custom { "custom" } else { "service" };
        if self == Self::Json {
            let line = json!({
                "id": entry.audit_id, "created_at": at, "action": entry.action, "source": source,
                "actor_id": entry.actor_id.to_string(), "target_id": entry.target_id, "key_id": entry.key_id,
                "request_id": entry.request_id, "metadata": entry.metadata,
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
        ];
        cells.map(|text| cell(&text)).join(",") + "\r\n"
    }
}

/// In quotes; what a spreadsheet would run as a formula is made text.
fn cell(text: &str) -> String {
    let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']);
    format!("\"{}{}\"", if formula { "'" } else { "" }, text.replace('"', "\"\""))
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Answer, PageError> {
    let format = if visit.query.text("format") == "json" { Format::Json } else { Format::Csv };
    let before = visit.query.read::<AuditId>("before");
    let filter = match AuditFilter::read(&visit).await? {
        Ok(_) if visit.query.has("before") && before.is_none() => {
            let problem = "Enter the number in the name of the file: digits only.".to_owned();
            return show(&visit, Err(("before", problem))).await;
        }
        Ok(filter) => filter,
        Err(wrong) => return show(&visit, Err(wrong)).await,
    };
    let (lines, last) = lines(&visit, &filter, format).await?;
    // A file that is cut says so in its name, and where to go on.
    let part = last.map(|id| format!("-before-{id}")).unwrap_or_default();
    let name = |ending| format!("audit-{}{part}.{ending}", visit.guild.guild_id);
    Ok(match format {
        Format::Csv => {
            let text = HEAD.to_owned() + &lines.concat();
            Answer::download(name("csv"), "text/csv; charset=utf-8", text.into())
        }
        Format::Json => {
            let next = last.map_or_else(|| "null".to_owned(), |id| id.to_string());
            let text = format!("{{\"entries\":[\n{}\n],\"before\":{next}}}\n", lines.join(",\n"));
            Answer::download(name("json"), "application/json", text.into())
        }
    })
}

/// The entries as lines, and the id of the last one where more follow.
async fn lines(
    visit: &GuildVisit,
    filter: &AuditFilter,
    format: Format,
) -> Result<(Vec<String>, Option<AuditId>), PageError> {
    let (mut lines, mut bytes) = (Vec::new(), 0);
    let mut cursor = visit.query.read::<AuditId>("before");
    loop {
        let part = Part { cursor, limit: BATCH };
        let batch = audit_entry::list(visit.read(), visit.guild.guild_id, filter.listing(), part).await?;
        for entry in &batch {
            if lines.len() >= ROWS_MAX || bytes >= BYTES_MAX {
                return Ok((lines, cursor));
            }
            let line = format.line(entry);
            bytes += line.len();
            lines.push(line);
            cursor = Some(entry.audit_id);
        }
        if (batch.len() as u64) < BATCH {
            return Ok((lines, None));
        }
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
