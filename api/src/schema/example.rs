//! Examples of schemas, composed from those of their parts.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{AdditionalProperties, ArrayItems, Object, Schema, SchemaType, Type};

/// Referenced schemas by name.
pub(crate) type Definitions = BTreeMap<String, RefOr<Schema>>;

/// An end far in the future, so that the example stays valid.
pub(crate) const FAR_END: &str = "2099-04-12T18:33:21Z";
/// Fields with the time at which something ends.
const ENDS: [&str; 2] = ["ends_at", "expires_at"];

/// The schema's own example, or one composed from its fields and items.
pub(crate) fn example_of(schema: &RefOr<Schema>, defines: &Definitions) -> Value {
    let schema = match schema {
        RefOr::T(schema) => schema,
        RefOr::Ref(reference) => {
            let name = reference.ref_location.rsplit('/').next().unwrap_or_default();
            return defines.get(name).map_or(Value::Null, |schema| example_of(schema, defines));
        }
    };
    match schema {
        Schema::Object(object) => of_object(object, defines),
        Schema::Array(array) => match (&array.example, &array.items) {
            (Some(own), _) => own.clone(),
            (None, ArrayItems::RefOrSchema(items)) => json!([example_of(items, defines)]),
            (None, ArrayItems::False) => json!([]),
        },
        Schema::OneOf(one) => first(one.example.as_ref(), &one.items, defines),
        Schema::AnyOf(any) => first(any.example.as_ref(), &any.items, defines),
        Schema::AllOf(all) => {
            let parts = all.items.iter().map(|item| example_of(item, defines));
            let fields = parts.filter_map(|part| part.as_object().cloned()).flatten();
            all.example.clone().unwrap_or_else(|| Value::Object(fields.collect()))
        }
        _ => Value::Null,
    }
}

fn of_object(object: &Object, defines: &Definitions) -> Value {
    if let Some(example) = object.example.as_ref().or(object.examples.first()) {
        return example.clone();
    }
    if let Some(word) = object.enum_values.as_ref().and_then(|words| words.first()) {
        return word.clone();
    }
    match of_type(&object.schema_type) {
        Some(Type::Boolean) => json!(true),
        Some(Type::Integer) => json!(1),
        Some(Type::Object) => {
            let fields = object.properties.iter();
            let mut fields: Map<_, _> =
                fields.map(|(name, schema)| (name.clone(), of_field(name, schema, defines))).collect();
            if let Some(AdditionalProperties::RefOr(value)) = object.additional_properties.as_deref() {
                fields.insert("name".to_owned(), example_of(value, defines));
            }
            Value::Object(fields)
        }
        _ => Value::Null,
    }
}

/// An end is later than the other times of the example.
fn of_field(name: &str, schema: &RefOr<Schema>, defines: &Definitions) -> Value {
    match example_of(schema, defines) {
        Value::String(_) if ENDS.contains(&name) => json!(FAR_END),
        example => example,
    }
}

/// The non-null alternative of a nullable type.
fn of_type(schema_type: &SchemaType) -> Option<Type> {
    match schema_type {
        SchemaType::Type(one) => Some(one.clone()),
        SchemaType::Array(several) => several.iter().find(|one| **one != Type::Null).cloned(),
        SchemaType::AnyValue => None,
    }
}

/// The example of the first alternative that has one.
fn first(own: Option<&Value>, items: &[RefOr<Schema>], defines: &Definitions) -> Value {
    let items = items.iter().map(|item| example_of(item, defines)).find(|example| !example.is_null());
    own.cloned().or(items).unwrap_or_default()
}
