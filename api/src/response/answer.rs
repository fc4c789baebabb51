//! Structs of answers that show a row.

/// Declares such a struct. A field without an expression is the row's column of the same name; the comment of a field is
/// its public documentation. With `at now` the row is shown as it stands at that time, by `new(&row, now)`.
macro_rules! answer {
    ($(#[$meta:meta])* $vis:vis struct $name:ident from $row:ident: $model:ty $(, at $now:ident)? {
        $($(#[$about:meta])* $field_vis:vis $field:ident: $type:ty $(= $value:expr)?),* $(,)?
    }) => {
        $(#[$meta])*
        #[derive(serde::Serialize, utoipa::ToSchema)]
        $vis struct $name {
            $($(#[$about])* $field_vis $field: $type),*
        }

        $crate::response::answer::made_from! {
            $name $row: $model $(, $now)? { $($field: $crate::response::answer::column!($row $field $($value)?)),* }
        }
    };
}
pub(crate) use answer;

macro_rules! made_from {
    ($name:ident $row:ident: $model:ty, $now:ident { $($fields:tt)* }) => {
        impl $name {
            pub(crate) fn new($row: &$model, $now: entities::Timestamp) -> Self {
                Self { $($fields)* }
            }
        }
    };
    ($name:ident $row:ident: $model:ty { $($fields:tt)* }) => {
        impl From<&$model> for $name {
            fn from($row: &$model) -> Self {
                Self { $($fields)* }
            }
        }

        impl From<$model> for $name {
            fn from(row: $model) -> Self {
                Self::from(&row)
            }
        }
    };
}
pub(crate) use made_from;

macro_rules! column {
    ($row:ident $field:ident) => {
        $row.$field.clone().into()
    };
    ($row:ident $field:ident $value:expr) => {
        $value
    };
}
pub(crate) use column;
