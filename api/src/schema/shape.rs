//! Schemas of requests and responses, each with an example, so that no example is written twice or contradicts its
//! schema. `utoipa` derives those of responses ([`answered`]); those of requests are built here.

use serde_json::{Map, Value, json};
use utoipa::openapi::schema::{
    AnyOfBuilder, ArrayBuilder, Object, ObjectBuilder, Ref, Schema, SchemaFormat, SchemaType, Type,
};
use utoipa::openapi::{KnownFormat, RefOr};
use utoipa::{PartialSchema, ToSchema};

use crate::schema::example::{Definitions, example_of};

/// The largest integer in a request: above it floats have gaps (docs/rules.md 2).
const EXACT: i64 = (1 << 53) - 1;

#[derive(Clone)]
pub(crate) struct Shape {
    pub(crate) schema: RefOr<Schema>,
    pub(crate) example: Value,
    /// The schemas that `schema` references.
    pub(crate) defines: Definitions,
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

    /// A description, where name and type do not suffice.
    pub(crate) fn about(mut self, text: &str) -> Self {
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

    pub(crate) fn example(mut self, example: impl Into<Value>) -> Self {
        self.example = example.into();
        self
    }

    pub(crate) fn default(self, value: impl Into<Value>) -> Self {
        self.change(|object| object.default = Some(value.into()))
    }

    pub(crate) fn nullable(self) -> Self {
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
        let null = RefOr::T(Schema::Object(null.build()));
        let any = match self.schema {
            RefOr::T(Schema::AnyOf(mut any)) => {
                any.items.push(null);
                any
            }
            RefOr::Ref(mut reference) => {
                let about = Some(std::mem::take(&mut reference.description)).filter(|text| !text.is_empty());
                AnyOfBuilder::new().item(reference).item(null).description(about).build()
            }
            other @ RefOr::T(_) => AnyOfBuilder::new().item(other).item(null).build(),
        };
        Self { schema: RefOr::T(Schema::AnyOf(any)), ..self }
    }

    /// Defined once among the document's components, and referenced elsewhere.
    pub(crate) fn named(mut self, name: &'static str) -> Self {
        let reference = RefOr::Ref(Ref::from_schema_name(name));
        self.defines.insert(name.to_owned(), std::mem::replace(&mut self.schema, reference));
        self
    }

    /// Makes all fields of an object optional.
    pub(crate) fn may_be_empty(&self) -> bool {
        matches!(&self.schema, RefOr::T(Schema::Object(object)) if object.required.is_empty())
    }
}

pub(crate) fn string(example: &str) -> Shape {
    Shape::of(ObjectBuilder::new().schema_type(Type::String), example)
}

/// A text in a request: 1 to `max` characters, and not blank.
pub(crate) fn text(max: usize, example: &str) -> Shape {
    string(example).change(|object| {
        (object.min_length, object.max_length) = (Some(1), Some(max));
        object.pattern = Some(r"\S".to_owned());
    })
}

pub(crate) fn matching(pattern: &str, example: &str) -> Shape {
    string(example).change(|object| object.pattern = Some(pattern.to_owned()))
}

/// One of these values; the first is the example.
pub(crate) fn word(words: &[&str]) -> Shape {
    let object = ObjectBuilder::new().schema_type(Type::String);
    let object = object.enum_values(Some(words.iter().map(|word| json!(word)).collect::<Vec<_>>()));
    Shape::of(object, words.first().copied().unwrap_or_default())
}

pub(crate) fn flag(example: bool) -> Shape {
    Shape::of(ObjectBuilder::new().schema_type(Type::Boolean), example)
}

/// A count, from 0.
pub(crate) fn count(example: i64) -> Shape {
    integer(example).change(|object| object.minimum = Some(0_isize.into()))
}

pub(crate) fn integer(example: i64) -> Shape {
    let format = Some(SchemaFormat::KnownFormat(KnownFormat::Int64));
    Shape::of(ObjectBuilder::new().schema_type(Type::Integer).format(format), example)
}

/// An integer in a request, within bounds.
pub(crate) fn whole(min: i64, max: i64, example: i64) -> Shape {
    let bound = |bound: i64| Some(isize::try_from(bound).unwrap_or(isize::MAX).into());
    integer(example).change(|object| (object.minimum, object.maximum) = (bound(min), bound(max)))
}

/// An id assigned by the service or the game platform.
pub(crate) fn id(example: i64) -> Shape {
    whole(1, i64::MAX, example)
}

pub(crate) fn uuid() -> Shape {
    string("0193a1c2-7c1e-7a55-9d0e-3f1b6a2c4d5e").change(|object| {
        object.format = Some(SchemaFormat::Custom("uuid".to_owned()));
    })
}

/// A time in a request: RFC 3339, any offset, of the years 1970 to 9999.
pub(crate) fn moment_sent() -> Shape {
    string("2026-04-12T18:33:21Z").change(|object| {
        object.format = Some(SchemaFormat::KnownFormat(KnownFormat::DateTime));
    })
}

/// The schema of a response, by its type.
pub(crate) fn answered<T: ToSchema>() -> Shape {
    let mut schemas = vec![(T::name().into_owned(), T::schema())];
    T::schemas(&mut schemas);
    let schema = RefOr::Ref(Ref::from_schema_name(T::name()));
    let defines: Definitions = schemas.into_iter().collect();
    let example = example_of(&schema, &defines);
    Shape { schema, example, defines }
}

/// An id of the game platform or the service in a request: Lua mixes integers and digit strings (docs/rules.md 2).
pub(crate) fn integer_or_digits<T: ToSchema>() -> Shape {
    let Shape { example, .. } = answered::<T>();
    let integer = Shape::new(T::schema(), example).change(|object| object.maximum = Some(EXACT.into()));
    let from_0 = matches!(&integer.schema, RefOr::T(Schema::Object(Object { minimum: Some(least), .. })) if *least == 0_isize.into());
    let digits = if from_0 { "^(0|[1-9][0-9]{0,18})$" } else { "^[1-9][0-9]{0,18}$" };
    any_of([integer, matching(digits, "1")])
}

/// The same, from `least`.
pub(crate) fn number(least: i64, example: i64) -> Shape {
    whole(least, EXACT, example)
}

/// The id of a test player of the studio (docs/rules.md 2).
pub(crate) fn test_player() -> Shape {
    any_of([whole(-EXACT, -1, -1), matching("^-[1-9][0-9]{0,17}$", "-1")])
        .about("A test player of the studio.")
}

/// A user by either account.
pub(crate) fn subject() -> Shape {
    any_of([matching("^[1-9][0-9]{0,18}$", "4815162342"), number(1, 4_815_162_342)])
        .about("A chat user id (17 digits or more) or a game user id.")
}

/// Who imposes or lifts a sanction.
pub(crate) fn moderator() -> Shape {
    any_of([matching("^(0|[1-9][0-9]{0,18})$", "812345678901234567"), number(0, 4_815_162_342)]).about(
        "A chat user id (17 digits or more); or a game user id, which stands for the linked chat user; or 0, the system, such as \
         an anti-cheat.",
    )
}

/// The values of an enum, to complete "must be …".
pub(crate) fn alternatives<T: PartialSchema>() -> String {
    let RefOr::T(Schema::Object(Object { enum_values: Some(words), .. })) = T::schema() else {
        return String::new();
    };
    match words.as_slice() {
        [one] => one.to_string(),
        [one, other] => format!("{one} or {other}"),
        many => {
            let names: Vec<_> = many.iter().filter_map(Value::as_str).collect();
            format!("one of {}", names.join(", "))
        }
    }
}

/// A field of an object.
pub(crate) struct Property {
    pub(crate) name: &'static str,
    pub(crate) required: bool,
    pub(crate) shape: Shape,
}

/// The example has all fields.
pub(crate) fn object(fields: impl IntoIterator<Item = Property>) -> Shape {
    let (mut object, mut example) = (ObjectBuilder::new().schema_type(Type::Object), Map::new());
    let mut defines = Definitions::new();
    for Property { name, required, shape } in fields {
        object = object.property(name, shape.schema);
        if required {
            object = object.required(name);
        }
        example.insert(name.to_owned(), shape.example);
        defines.extend(shape.defines);
    }
    Shape { defines, ..Shape::of(object, example) }
}

pub(crate) fn free(example: Value) -> Shape {
    Shape::of(ObjectBuilder::new().schema_type(Type::Object), example)
}

pub(crate) fn list(item: Shape) -> Shape {
    let example = json!([item.example]);
    let array = ArrayBuilder::new().items(item.schema).build();
    Shape { defines: item.defines, ..Shape::new(Schema::Array(array), example) }
}

/// A list in a request.
pub(crate) fn batch(item: Shape, max: usize) -> Shape {
    let mut list = list(item);
    if let RefOr::T(Schema::Array(array)) = &mut list.schema {
        array.max_items = Some(max);
    }
    list
}

/// The same, of values that differ.
pub(crate) fn set(item: Shape, max: usize) -> Shape {
    let mut set = batch(item, max);
    if let RefOr::T(Schema::Array(array)) = &mut set.schema {
        array.unique_items = true;
    }
    set
}

/// One of these; the first gives the example.
pub(crate) fn any_of<const N: usize>(shapes: [Shape; N]) -> Shape {
    let example = shapes.first().map(|shape| shape.example.clone()).unwrap_or_default();
    let mut defines = Definitions::new();
    let any = shapes.into_iter().fold(AnyOfBuilder::new(), |any, shape| {
        defines.extend(shape.defines);
        any.item(shape.schema)
    });
    Shape { defines, ..Shape::new(Schema::AnyOf(any.build()), example) }
}
