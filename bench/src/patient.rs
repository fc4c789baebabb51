//! Clients that disturb little of what they measure.

use tokio::runtime::Handle;

/// Low-priority threads: clients have machines of their own.
pub(crate) fn threads() -> anyhow::Result<Handle> {
    let threads = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .on_thread_start(|| {
            // Only this thread. Without it the figures are only worse.
            let _ = rustix::process::setpriority_process(None, 19);
        })
        .build()?;
    let handle = threads.handle().clone();
    // They end with the program.
    std::mem::forget(threads);
    Ok(handle)
}
