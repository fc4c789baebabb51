//! Lines of libraries that would repeat while a server is away. Ours use [`warn_throttled!`](crate::warn_throttled).

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use tracing::callsite::Identifier;
use tracing::{Event, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;

use crate::throttled::Throttle;

/// The pool warns of each connection that it waited for or lost.
const TARGET: &str = "sqlx";

/// Lets a line of the library through at once and then every 30 s, after one of ours with its number.
#[derive(Debug, Default)]
pub(super) struct Repeated(Mutex<HashMap<Identifier, Throttle>>);

impl<S: Subscriber> Layer<S> for Repeated {
    fn event_enabled(&self, event: &Event<'_>, _: Context<'_, S>) -> bool {
        let line = event.metadata();
        if !line.target().starts_with(TARGET) {
            return true;
        }
        let told = {
            let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            lines.entry(line.callsite()).or_insert_with(Throttle::new).record()
        };
        if let Some(times @ 2..) = told {
            tracing::warn!(times, "the next line of the log stands for this many");
        }
        told.is_some()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tracing_subscriber::prelude::*;

    use super::*;

    struct Count(Arc<AtomicUsize>);

    impl<S: Subscriber> Layer<S> for Count {
        fn on_event(&self, _: &Event<'_>, _: Context<'_, S>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn a_line_of_the_pool_that_repeats_is_told_once() {
        let count = Arc::new(AtomicUsize::new(0));
        let subscriber =
            tracing_subscriber::registry().with(Count(Arc::clone(&count))).with(Repeated::default());
        tracing::subscriber::with_default(subscriber, || {
            for _ in 0..5 {
                tracing::warn!(target: "sqlx::pool", "no connection");
                tracing::warn!(target: "api", "ours");
            }
            tracing::warn!(target: "sqlx::pool", "another line");
        });
        assert_eq!(count.load(Ordering::Relaxed), 5 + 1 + 1);
    }
}
