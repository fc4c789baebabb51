//! The header and column `traceparent` (W3C Trace Context): version, trace, span and flags, in lower-case hex.

use opentelemetry::trace::{SpanContext, SpanId, TraceFlags, TraceId, TraceState};

/// Digits of each part.
const DIGITS: [usize; 4] = [2, 32, 16, 2];

/// `None`: malformed, or of the version that is none. A later version may have more parts.
pub(super) fn read(text: &str) -> Option<SpanContext> {
    let mut parts = text.split('-');
    let known = DIGITS.map(|digits| parts.next().filter(|part| part.len() == digits && is_hex(part)));
    let [Some(version), Some(trace), Some(span), Some(flags)] = known else { return None };
    if version == "ff" || version == "00" && parts.next().is_some() {
        return None;
    }
    let flags = TraceFlags::new(u8::from_str_radix(flags, 16).ok()?) & TraceFlags::SAMPLED;
    let (trace, span) = (TraceId::from_hex(trace).ok()?, SpanId::from_hex(span).ok()?);
    Some(SpanContext::new(trace, span, flags, true, TraceState::NONE)).filter(SpanContext::is_valid)
}

fn is_hex(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

pub(super) fn write(span: &SpanContext) -> String {
    let flags = span.trace_flags() & TraceFlags::SAMPLED;
    format!("00-{}-{}-{flags:02x}", span.trace_id(), span.span_id())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FITTING: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    #[test]
    fn what_is_read_is_written_again() {
        for fitting in [FITTING, &FITTING.replace("-01", "-00")] {
            assert_eq!(read(fitting).map(|span| write(&span)).as_deref(), Some(fitting));
        }
        assert_eq!(read(&FITTING.replace("-01", "-03")).map(|span| write(&span)).as_deref(), Some(FITTING));
        assert!(read(&format!("01{}-later", &FITTING[2..])).is_some());
    }

    #[test]
    fn what_is_malformed_is_ignored() {
        let malformed = [
            String::new(),
            FITTING.to_uppercase(),
            format!("{FITTING}-more"),
            format!(" {FITTING}"),
            FITTING.replacen("00", "ff", 1),
            FITTING.replace("4bf9", "+bf9"),
            FITTING.replace("-00f0", "-f0"),
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01".to_owned(),
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01".to_owned(),
            "00-1-1-01".to_owned(),
        ];
        for malformed in malformed {
            assert!(read(&malformed).is_none(), "{malformed}");
        }
    }
}
