//! Threads of their own for live sockets: a frame for thousands of sockets, or their end, never delays a request.

use tokio::runtime::{Builder, Handle, Runtime};

pub(crate) struct Threads(Option<Runtime>);

impl Threads {
    #[expect(clippy::expect_used, reason = "a process that cannot start threads cannot start")]
    pub(crate) fn start() -> Self {
        let runtime = Builder::new_multi_thread().thread_name("live-sockets").enable_all().build();
        Self(Some(runtime.expect("threads start")))
    }

    pub(crate) fn handle(&self) -> Handle {
        self.0.as_ref().map_or_else(Handle::current, |runtime| runtime.handle().clone())
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            // Its sockets have ended; blocking is not allowed where the last owner may be dropped.
            runtime.shutdown_background();
        }
    }
}
