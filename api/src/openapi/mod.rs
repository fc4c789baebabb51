//! `/openapi.json` (OpenAPI 3.1), generated from the route table and the files of the endpoints, and `/docs`, a page
//! that shows it and needs no other server.

mod dashboard;
pub(crate) mod document;
pub(crate) mod example;
pub(crate) mod operation;
pub(crate) mod parameters;
pub(crate) mod responses;
pub(crate) mod serve;
pub(crate) mod shape;
