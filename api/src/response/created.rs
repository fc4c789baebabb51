//! The response to a creation: the id of the new object.

use std::borrow::Cow;

use serde::Serialize;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::openapi::{Ref, RefOr};
use utoipa::{PartialSchema, ToSchema};

#[derive(Serialize)]
pub(crate) struct Created<I> {
    pub(crate) id: I,
}

impl<I: ToSchema> PartialSchema for Created<I> {
    fn schema() -> RefOr<Schema> {
        let id = Ref::from_schema_name(I::name());
        let object = ObjectBuilder::new().schema_type(Type::Object).property("id", id).required("id");
        Schema::Object(object.build()).into()
    }
}

impl<I: ToSchema> ToSchema for Created<I> {
    /// `CreatedBinding`, of a `BindingId`.
    fn name() -> Cow<'static, str> {
        format!("Created{}", I::name().trim_end_matches("Id")).into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((I::name().into_owned(), I::schema()));
    }
}
