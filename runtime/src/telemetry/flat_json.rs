//! JSON lines with the fields of their spans beside their own, so that `request.id` and `job.id` stand in the same place of
//! every line.

use std::fmt::{self, Write};

use tracing::field::{Field, Visit};
use tracing::span::Record;
use tracing::{Event, Subscriber};
use tracing_subscriber::field::RecordFields;
use tracing_subscriber::fmt::format::{Format, Json, Writer};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields, FormattedFields};
use tracing_subscriber::registry::{LookupSpan, Scope};

/// Bytes of the fields of most spans.
const USUAL_BYTES: usize = 256;

pub(super) struct FlatJson(Format<Json>);

impl FlatJson {
    pub(super) fn new() -> Self {
        let line = tracing_subscriber::fmt::format().json().flatten_event(true);
        Self(line.with_current_span(false).with_span_list(false))
    }
}

impl<S> FormatEvent<S, Pairs> for FlatJson
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, Pairs>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut line = String::new();
        self.0.format_event(context, Writer::new(&mut line), event)?;
        writer.write_str(line.trim_end().strip_suffix('}').ok_or(fmt::Error)?)?;
        for span in context.event_scope().into_iter().flat_map(Scope::from_root) {
            if let Some(fields) = span.extensions().get::<FormattedFields<Pairs>>()
                && !fields.is_empty()
            {
                write!(writer, ",{fields}")?;
            }
        }
        writer.write_str("}\n")
    }
}

/// Writes the fields of a span as members of a JSON object, without its braces. A field that is recorded later is appended;
/// [`JsonFields`](tracing_subscriber::fmt::format::JsonFields) parses and writes all fields again for it.
pub(super) struct Pairs;

impl<'w> FormatFields<'w> for Pairs {
    fn format_fields<R: RecordFields>(&self, mut writer: Writer<'w>, fields: R) -> fmt::Result {
        let mut pairs = PairText(String::with_capacity(USUAL_BYTES));
        fields.record(&mut pairs);
        writer.write_str(&pairs.0)
    }

    fn add_fields(&self, current: &'w mut FormattedFields<Self>, fields: &Record<'_>) -> fmt::Result {
        let mut pairs = PairText(std::mem::take(&mut current.fields));
        fields.record(&mut pairs);
        current.fields = pairs.0;
        Ok(())
    }
}

/// In one piece and without the formatting machinery, because each request pays for it.
struct PairText(String);

impl PairText {
    fn name(&mut self, field: &Field) {
        self.0.push_str(if self.0.is_empty() { "\"" } else { ",\"" });
        self.0.push_str(field.name());
        self.0.push_str("\":");
    }

    fn plain(&mut self, field: &Field, value: impl fmt::Display) {
        self.name(field);
        // A string takes everything.
        let _ = write!(self.0, "{value}");
    }
}

impl Visit for PairText {
    fn record_i64(&mut self, field: &Field, value: i64) {
        self.plain(field, value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.plain(field, value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.plain(field, value);
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        let needs_no_escape =
            value.bytes().all(|byte| matches!(byte, b' '..=b'~') && byte != b'"' && byte != b'\\');
        if !needs_no_escape {
            return self.plain(field, serde_json::Value::from(value));
        }
        self.name(field);
        self.0.push('"');
        self.0.push_str(value);
        self.0.push('"');
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.record_str(field, &format!("{value:?}"));
    }
}
