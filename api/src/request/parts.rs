//! Bodies and queries as structs. A field is required (`T`), optional (`Option<T>`, null counts as absent) or, in a
//! PATCH, unchanged if absent (`Patch<T>`, null is a value like any other).
//!
//! `request!` writes the struct, its parser and its documentation from one list, so they cannot differ.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::response::error::ApiError;
use crate::schema::shape::Shape;

/// Below this every integer has an exact float.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// A value in a request: its allowed values, its parser and its documentation, in one place.
pub(crate) trait Field: Sized {
    /// Completes "must be …".
    fn allowed() -> Cow<'static, str>;

    /// Reads a JSON value. `None` if it is not allowed.
    fn read(sent: &Value) -> Option<Self>;

    /// Reads a path or query parameter.
    fn read_text(sent: &str) -> Option<Self> {
        Self::read(&sent.into())
    }

    /// The schema in `/openapi.json`.
    fn shape() -> Shape;

    /// The error for a value that [`read`](Self::read) refused.
    fn refuse(name: &str, sent: &Value) -> ApiError {
        ApiError::field(name, sent, &Self::allowed())
    }
}

/// A value as it was sent.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Sent<'a> {
    Json(&'a Value),
    Text(&'a str),
}

impl Sent<'_> {
    fn read<T: Field>(self, name: &str) -> Result<T, ApiError> {
        match self {
            Self::Json(value) => T::read(&whole(value)).ok_or_else(|| T::refuse(name, value)),
            Self::Text(text) => T::read_text(text).ok_or_else(|| T::refuse(name, &text.into())),
        }
    }

    fn is_empty(self) -> bool {
        match self {
            Self::Json(value) => value.is_null(),
            Self::Text(text) => text.is_empty(),
        }
    }
}

/// A source of values by name: a body or a query.
pub(crate) trait Source {
    fn find(&self, name: &str) -> Option<Sent<'_>>;
}

pub(crate) struct Part {
    pub(crate) name: &'static str,
    pub(crate) required: bool,
    /// Null counts as absent.
    pub(crate) nullable: bool,
    pub(crate) shape: Shape,
}

pub(crate) trait Take: Sized {
    const REQUIRED: bool;
    const NULLABLE: bool = false;

    fn take(source: &impl Source, name: &str) -> Result<Self, ApiError>;

    fn shape() -> Shape;

    /// Whether this field makes a PATCH change something.
    fn changes(&self) -> bool {
        false
    }
}

impl<T: Field> Take for T {
    const REQUIRED: bool = true;

    fn take(source: &impl Source, name: &str) -> Result<Self, ApiError> {
        let missing = || ApiError::missing(name, &T::allowed());
        match source.find(name) {
            // The id of a server may be the empty text.
            Some(Sent::Text("")) => T::read_text("").ok_or_else(missing),
            Some(sent) if !sent.is_empty() => sent.read(name),
            _ => Err(missing()),
        }
    }

    fn shape() -> Shape {
        T::shape()
    }
}

impl<T: Field> Take for Option<T> {
    const REQUIRED: bool = false;
    const NULLABLE: bool = true;

    fn take(source: &impl Source, name: &str) -> Result<Self, ApiError> {
        source.find(name).filter(|sent| !sent.is_empty()).map(|sent| sent.read(name)).transpose()
    }

    fn shape() -> Shape {
        T::shape()
    }
}

/// A field of a PATCH: `None` leaves it as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Patch<T>(pub(crate) Option<T>);

impl<T: Field> Take for Patch<T> {
    const REQUIRED: bool = false;

    fn take(source: &impl Source, name: &str) -> Result<Self, ApiError> {
        source.find(name).map(|sent| sent.read(name)).transpose().map(Self)
    }

    fn shape() -> Shape {
        T::shape()
    }

    fn changes(&self) -> bool {
        self.0.is_some()
    }
}

/// A body or query as a whole.
pub(crate) trait Request: Sized {
    /// The name for code generators.
    const NAME: &'static str;

    fn read(source: &impl Source) -> Result<Self, ApiError>;

    fn parts() -> Vec<Part>;

    /// Whether any [`Patch`] field of it is present.
    fn changes(&self) -> bool;
}

/// Declares a struct that is read from a request. The comment of a field is its public documentation;
/// `#[example(value)]` replaces the example of its type, `as "name"` the name it is sent under.
macro_rules! request {
    ($(#[$meta:meta])* $vis:vis struct $name:ident {
        $($(#[doc = $about:literal])* $(#[example($example:expr)])? $field:ident $(as $sent:literal)?: $type:ty),* $(,)?
    }) => {
        $(#[$meta])*
        #[derive(Debug)]
        $vis struct $name {
            $($(#[doc = $about])* $vis $field: $type),*
        }

        impl $crate::request::parts::Request for $name {
            const NAME: &'static str = stringify!($name);

            fn read(
                source: &impl $crate::request::parts::Source,
            ) -> Result<Self, $crate::response::error::ApiError> {
                Ok(Self {
                    $($field: $crate::request::parts::Take::take(
                        source,
                        $crate::request::parts::sent_name!($field $($sent)?),
                    )?),*
                })
            }

            fn parts() -> Vec<$crate::request::parts::Part> {
                vec![$($crate::request::parts::Part::of::<$type>(
                    $crate::request::parts::sent_name!($field $($sent)?),
                    concat!($($about),*),
                )$(.example($example))?),*]
            }

            fn changes(&self) -> bool {
                false $(|| $crate::request::parts::Take::changes(&self.$field))*
            }
        }
    };
}
pub(crate) use request;

macro_rules! sent_name {
    ($field:ident) => {
        stringify!($field)
    };
    ($field:ident $sent:literal) => {
        $sent
    };
}
pub(crate) use sent_name;

impl Part {
    pub(crate) fn of<T: Take>(name: &'static str, about: &str) -> Self {
        let shape = T::shape();
        let shape = if about.is_empty() { shape } else { shape.about(about.trim()) };
        Self { name, required: T::REQUIRED, nullable: T::NULLABLE, shape }
    }

    /// A field that is documented by hand.
    pub(crate) fn optional(name: &'static str, shape: Shape) -> Self {
        Self { name, required: false, nullable: false, shape }
    }

    pub(crate) fn example(mut self, example: impl Into<Value>) -> Self {
        self.shape = self.shape.example(example);
        self
    }
}

/// A float without fraction as an integer: Lua writes any number as a float (docs/rules.md 8).
pub(crate) fn whole(sent: &Value) -> Cow<'_, Value> {
    let float = sent.as_f64().filter(|_| sent.is_f64());
    match float.filter(|float| float.fract() == 0.0 && float.abs() < EXACT) {
        #[expect(clippy::cast_possible_truncation, reason = "whole and small enough, as just checked")]
        Some(float) => Cow::Owned((float as i64).into()),
        None => Cow::Borrowed(sent),
    }
}

/// An integer from 2^53 on: clients that keep numbers as floats may have rounded it already (docs/rules.md 2).
pub(crate) fn is_rounded(sent: &Value) -> bool {
    let integer = sent.as_i64().map(i64::unsigned_abs).or_else(|| sent.as_u64());
    match integer {
        Some(number) => number >= 1 << 53,
        None => sent.as_f64().is_some_and(|float| float.fract() == 0.0 && float.abs() >= EXACT),
    }
}

/// An object, or the empty array that Lua writes for an empty object.
pub(crate) fn object(sent: &Value) -> Option<Cow<'_, Map<String, Value>>> {
    match sent {
        Value::Object(fields) => Some(Cow::Borrowed(fields)),
        Value::Array(items) if items.is_empty() => Some(Cow::Owned(Map::new())),
        _ => None,
    }
}
