//! `/openapi.json` (OpenAPI 3.1), generated from the route table and the files of the endpoints, and `/docs`, a page
//! that shows it and needs no other server.

pub(crate) mod dashboard;
pub(crate) mod document;
mod luau_model;
pub(crate) mod parameters;
pub(crate) mod responses;
pub(crate) mod serve;
