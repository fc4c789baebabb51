//! What becomes of jobs when RabbitMQ fails in every way it can. The servers are of the tests' own.
//!
//! Each outage prints how soon a worker does its first job without the broker, and what the API's callers feel of it. The same on the release binary, by hand:
//!
//! ```sh
//! cargo build --release
//! eval "$(deploy/services env)"
//! GUILDHALL_TEST_BINARY=target/release/guildhall cargo nextest run --workspace --no-capture -E 'test(broker::kills)'
//! ```

mod calls;
mod kills;
mod orders;
