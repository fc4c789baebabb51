//! Sends spans to the collector in the background, in batches. A collector that is away costs requests nothing: what it does
//! not take, or the queue has no room for, is dropped and counted.

use std::time::Duration;

use opentelemetry::Context;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::trace::{Span, SpanData, SpanExporter, SpanProcessor};
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_util::task::TaskTracker;

use super::conventions;

/// Spans that wait, of about 1 KiB.
const QUEUE: usize = 8_192;
/// Spans in a request to the collector.
const BATCH: usize = 512;
/// How long a batch waits for more spans.
const LINGER: Duration = Duration::from_secs(1);

#[derive(Clone, Debug)]
pub(super) struct Export {
    /// `None`: the last one.
    queue: mpsc::Sender<Option<SpanData>>,
    sending: TaskTracker,
}

impl Export {
    pub(super) fn start(exporter: impl SpanExporter + 'static) -> Self {
        let (queue, spans) = mpsc::channel(QUEUE);
        let sending = TaskTracker::new();
        sending.spawn(send(exporter, spans));
        sending.close();
        Self { queue, sending }
    }

    /// Sends what waits and ends; false: the collector was too slow for it.
    pub(super) async fn flush(&self, within: Duration) -> bool {
        let sent = async {
            // Ended before: then there is nothing to wait for.
            let _ = self.queue.send(None).await;
            self.sending.wait().await;
        };
        timeout(within, sent).await.is_ok()
    }
}

impl SpanProcessor for Export {
    fn on_start(&self, _: &mut Span, _: &Context) {}

    fn on_end(&self, span: SpanData) {
        if self.queue.try_send(Some(span)).is_err() {
            count("dropped", 1);
        }
    }

    fn force_flush(&self) -> OTelSdkResult {
        Ok(())
    }

    /// [`Export::flush`] does it without blocking a thread.
    fn shutdown_with_timeout(&self, _: Duration) -> OTelSdkResult {
        Ok(())
    }
}

fn count(outcome: &'static str, spans: u64) {
    metrics::counter!("guildhall_trace_spans_total", "outcome" => outcome).increment(spans);
}

async fn send(exporter: impl SpanExporter, mut queue: mpsc::Receiver<Option<SpanData>>) {
    let (mut received, mut is_away, mut is_open) = (Vec::with_capacity(BATCH), false, true);
    while is_open {
        is_open = gather(&mut queue, &mut received).await;
        let spans: Vec<_> = received.drain(..).flatten().map(conventions::apply).collect();
        let number = spans.len() as u64;
        if spans.is_empty() {
            continue;
        }
        let exported = exporter.export(spans).await;
        let was_away = std::mem::replace(&mut is_away, exported.is_err());
        count(if is_away { "failed" } else { "exported" }, number);
        match exported {
            Err(error) if !was_away => {
                tracing::warn!(%error, "the collector does not take traces: they are dropped until it does");
            }
            Ok(()) if was_away => tracing::info!("the collector takes traces again"),
            _ => {}
        }
    }
}

/// Waits for a span, and then for a full batch. False: no more follow.
async fn gather(queue: &mut mpsc::Receiver<Option<SpanData>>, received: &mut Vec<Option<SpanData>>) -> bool {
    queue.recv_many(received, BATCH).await;
    let fill = async {
        while is_open(received) && received.len() < BATCH {
            queue.recv_many(received, BATCH - received.len()).await;
        }
    };
    // Either way the batch goes.
    let _ = timeout(LINGER, fill).await;
    is_open(received)
}

/// Nothing is received where nobody can send any more. Spans may follow the last item: they ended too late.
fn is_open(received: &[Option<SpanData>]) -> bool {
    !received.is_empty() && received.iter().all(Option::is_some)
}

#[cfg(test)]
pub(super) mod tests {
    use std::sync::{Arc, Mutex};

    use opentelemetry::trace::{Span as _, Tracer, TracerProvider};
    use opentelemetry_sdk::trace::SdkTracerProvider;

    use super::*;

    /// Takes spans, or never answers.
    #[derive(Clone, Debug, Default)]
    pub(in super::super) struct Kept {
        pub(in super::super) spans: Arc<Mutex<Vec<SpanData>>>,
        hangs: bool,
    }

    impl SpanExporter for Kept {
        async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
            if self.hangs {
                std::future::pending::<()>().await;
            }
            self.spans.lock().unwrap().extend(batch);
            Ok(())
        }
    }

    fn end_spans(export: &Export, number: usize) {
        let provider = SdkTracerProvider::builder().with_span_processor(export.clone()).build();
        let tracer = provider.tracer("test");
        (0..number).for_each(|_| tracer.start("span").end());
    }

    #[tokio::test]
    async fn what_waits_is_sent_at_the_end() {
        let kept = Kept::default();
        let export = Export::start(kept.clone());
        end_spans(&export, 2 * BATCH + 1);
        assert!(export.flush(Duration::from_secs(10)).await);
        assert_eq!(kept.spans.lock().unwrap().len(), 2 * BATCH + 1);
        assert!(export.flush(Duration::from_secs(10)).await, "a second time there is nothing to wait for");
    }

    #[tokio::test]
    async fn a_span_that_ends_too_late_does_not_delay_the_end() {
        let export = Export::start(Kept::default());
        export.queue.try_send(None).unwrap();
        end_spans(&export, 1);
        timeout(Duration::from_secs(10), export.sending.wait()).await.expect("the sending ends");
    }

    #[tokio::test]
    async fn a_collector_that_never_answers_delays_neither_spans_nor_the_end() {
        let export = Export::start(Kept { hangs: true, ..Kept::default() });
        end_spans(&export, QUEUE + BATCH);
        assert_eq!(export.queue.capacity(), 0, "the rest is dropped");
        assert!(!export.flush(Duration::from_millis(10)).await);
    }
}
