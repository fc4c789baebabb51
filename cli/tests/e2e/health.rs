//! `/health/live`, `/health/ready` and `/metrics` on every process.
