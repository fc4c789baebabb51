//! Jobs during failures of RabbitMQ, with servers of the tests' own.
//!
//! Each outage prints the time until a worker's first job without the broker, and the API's response times. To run it
//! with the release binary:
//!
//! ```sh
//! cargo build --release
//! eval "$(deploy/services env)"
//! GUILDHALL_TEST_BINARY=target/release/guildhall cargo nextest run --workspace --no-capture -E 'test(broker::kills)'
//! ```

mod calls;
mod kills;
mod orders;
