//! A small language for JSON: each shape is a schema together with an example of it, so no example is written twice
//! and none can contradict its schema. Objects may carry more fields than they name.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use utoipa::openapi::schema::{
    AdditionalProperties, AnyOfBuilder, ArrayBuilder, Object, ObjectBuilder, Ref, Schema, SchemaFormat,
    SchemaType, Type,
};
use utoipa::openapi::{KnownFormat, RefOr};

/// Schemas that others name, by name.
pub(super) type Definitions = BTreeMap<&'static str, RefOr<Schema>>;

#[derive(Clone)]
pub(super) struct Shape {
    pub(super) schema: RefOr<Schema>,
    pub(super) example: Value,
    /// What `schema` names.
    pub(super) defines: Definitions,
}

impl Shape {
    fn new(schema: impl Into<RefOr<Schema>>, example: impl Into<Value>) -> Self {
        Self { schema: schema.into(), example: example.into(), defines: Definitions::new() }
    }

    fn of(object: ObjectBuilder, example: impl Into<Value>) -> Self {
        Self::new(Schema::Object(object.build()), example)
    }

    fn change(mut self, change: impl FnOnce(&mut Object)) -> Self {
        if let RefOr::T(Schema::Object(object)) = &mut self.schema {
            change(object);
        }
        self
    }

    /// What it means, where name and type do not say it.
    pub(super) fn about(mut self, text: &str) -> Self {
        let text = text.to_owned();
        match &mut self.schema {
            RefOr::Ref(reference) => reference.description = text,
            RefOr::T(Schema::Object(object)) => object.description = Some(text),
            RefOr::T(Schema::Array(array)) => array.description = Some(text),
            RefOr::T(Schema::AnyOf(any)) => any.description = Some(text),
            RefOr::T(_) => {}
        }
        self
    }

    pub(super) fn example(mut self, example: impl Into<Value>) -> Self {
        self.example = example.into();
        self
    }

    pub(super) fn default(self, value: impl Into<Value>) -> Self {
        self.change(|object| object.default = Some(value.into()))
    }

    pub(super) fn nullable(self) -> Self {
        let null = ObjectBuilder::new().schema_type(Type::Null);
        if let RefOr::T(Schema::Object(Object {
            schema_type: SchemaType::Type(own),
            enum_values: None,
            ..
        })) = &self.schema
        {
            let both = SchemaType::Array(vec![own.clone(), Type::Null]);
            return self.change(|object| object.schema_type = both);
        }
        let any = AnyOfBuilder::new().item(self.schema).item(Schema::Object(null.build()));
        Self { schema: RefOr::T(Schema::AnyOf(any.build())), ..self }
    }

    /// Written once among the document's components, and named wherever it is used.
    pub(super) fn named(mut self, name: &'static str) -> Self {
        let reference = RefOr::Ref(Ref::from_schema_name(name));
        self.defines.insert(name, std::mem::replace(&mut self.schema, reference));
        self
    }

    /// Of an object: nothing in it has to be given.
    pub(super) fn may_be_empty(&self) -> bool {
        matches!(&self.schema, RefOr::T(Schema::Object(object)) if object.required.is_empty())
    }
}

/// Any text.
pub(super) fn string(example: &str) -> Shape {
    Shape::of(ObjectBuilder::new().schema_type(Type::String), example)
}

/// A text that is sent: 1 to `max` characters, and not blank.
pub(super) fn text(max: usize, example: &str) -> Shape {
    string(example).change(|object| {
        (object.min_length, object.max_length) = (Some(1), Some(max));
        object.pattern = Some(r"\S".to_owned());
    })
}

pub(super) fn matching(pattern: &str, example: &str) -> Shape {
    string(example).change(|object| object.pattern = Some(pattern.to_owned()))
}

/// One of these words; the first is the example.
pub(super) fn word(words: &[&str]) -> Shape {
    let object = ObjectBuilder::new().schema_type(Type::String);
    let object = object.enum_values(Some(words.iter().map(|word| json!(word)).collect::<Vec<_>>()));
    Shape::of(object, words.first().copied().unwrap_or_default())
}

pub(super) fn flag(example: bool) -> Shape {
    Shape::of(ObjectBuilder::new().schema_type(Type::Boolean), example)
}

/// A number of things, from 0.
pub(super) fn count(example: i64) -> Shape {
    integer(example).change(|object| object.minimum = Some(0_isize.into()))
}

pub(super) fn integer(example: i64) -> Shape {
    let format = Some(SchemaFormat::KnownFormat(KnownFormat::Int64));
    Shape::of(ObjectBuilder::new().schema_type(Type::Integer).format(format), example)
}

/// An integer that is sent, within bounds.
pub(super) fn whole(min: i64, max: i64, example: i64) -> Shape {
    let bound = |bound: i64| Some(isize::try_from(bound).unwrap_or(isize::MAX).into());
    integer(example).change(|object| (object.minimum, object.maximum) = (bound(min), bound(max)))
}

/// An id the service assigns, or one of the game platform.
pub(super) fn id(example: i64) -> Shape {
    whole(1, i64::MAX, example)
}

/// The same when it is sent: game scripts mix integers and digit strings (docs/rules.md 2).
pub(super) fn id_sent(example: i64) -> Shape {
    let digits = matching("^[1-9][0-9]{0,18}$", "1").schema;
    let any = AnyOfBuilder::new().item(id(example).schema).item(digits);
    Shape::new(Schema::AnyOf(any.build()), example)
}

/// A user, role, guild or channel of the chat platform.
pub(super) fn chat_id(example: &str) -> Shape {
    matching("^[1-9][0-9]{0,18}$", example)
}

pub(super) fn user() -> Shape {
    chat_id("812345678901234567")
}

pub(super) fn player() -> Shape {
    id(4_815_162_342)
}

pub(super) fn player_sent() -> Shape {
    id_sent(4_815_162_342)
}

pub(super) fn place() -> Shape {
    id(920_587_237)
}

/// An id that is a UUID.
pub(super) fn uuid() -> Shape {
    string("0193a1c2-7c1e-7a55-9d0e-3f1b6a2c4d5e").change(|object| {
        object.format = Some(SchemaFormat::Custom("uuid".to_owned()));
    })
}

/// A moment as it is answered: UTC, whole seconds.
pub(super) fn moment() -> Shape {
    matching("^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$", "2026-04-12T18:33:21Z")
        .change(date_time)
}

/// A moment as it is sent: RFC 3339, any offset, of the years 1970 to 9999.
pub(super) fn moment_sent() -> Shape {
    string("2026-04-12T18:33:21Z").change(date_time)
}

fn date_time(object: &mut Object) {
    object.format = Some(SchemaFormat::KnownFormat(KnownFormat::DateTime));
}

/// Fields by name; one whose name ends in `?` may be absent. All of them are in the example.
pub(super) fn object(fields: impl IntoIterator<Item = (&'static str, Shape)>) -> Shape {
    let (mut object, mut example) = (ObjectBuilder::new().schema_type(Type::Object), Map::new());
    let mut defines = Definitions::new();
    for (name, field) in fields {
        let required = name.strip_suffix('?');
        let bare = required.unwrap_or(name);
        object = object.property(bare, field.schema);
        if required.is_none() {
            object = object.required(bare);
        }
        example.insert(bare.to_owned(), field.example);
        defines.extend(field.defines);
    }
    Shape { defines, ..Shape::of(object, example) }
}

/// An object with keys that are not known beforehand.
pub(super) fn map(value: Shape, key: &str) -> Shape {
    let example = json!({ key: value.example });
    let object = ObjectBuilder::new().schema_type(Type::Object);
    let object = object.additional_properties(Some(AdditionalProperties::RefOr(value.schema)));
    Shape { defines: value.defines, ..Shape::of(object, example) }
}

/// Any object.
pub(super) fn free(example: Value) -> Shape {
    Shape::of(ObjectBuilder::new().schema_type(Type::Object), example)
}

/// Any value, null too.
pub(super) fn anything(example: Value) -> Shape {
    Shape::of(ObjectBuilder::new().schema_type(SchemaType::AnyValue), example)
}

pub(super) fn list(item: Shape) -> Shape {
    let example = json!([item.example]);
    let array = ArrayBuilder::new().items(item.schema).build();
    Shape { defines: item.defines, ..Shape::new(Schema::Array(array), example) }
}

/// A list that is sent.
pub(super) fn batch(item: Shape, max: usize) -> Shape {
    let mut list = list(item);
    if let RefOr::T(Schema::Array(array)) = &mut list.schema {
        array.max_items = Some(max);
    }
    list
}

/// One of these; the first gives the example.
pub(super) fn any_of<const N: usize>(shapes: [Shape; N]) -> Shape {
    let example = shapes.first().map(|shape| shape.example.clone()).unwrap_or_default();
    let any = shapes.into_iter().fold(AnyOfBuilder::new(), |any, shape| any.item(shape.schema));
    Shape::new(Schema::AnyOf(any.build()), example)
}
