//! Structs of answers that show a row.

/// Declares such a struct. A field without an expression is the row's column of the same name; the comment of a field is
/// its public documentation.
macro_rules! answer {
    ($(#[$meta:meta])* $vis:vis struct $name:ident from $row:ident: $model:ty {
        $($(#[$about:meta])* $field_vis:vis $field:ident: $type:ty $(= $value:expr)?),* $(,)?
    }) => {
        $(#[$meta])*
        #[derive(serde::Serialize, utoipa::ToSchema)]
        $vis struct $name {
            $($(#[$about])* $field_vis $field: $type),*
        }

        impl From<&$model> for $name {
            fn from($row: &$model) -> Self {
                Self { $($field: $crate::response::answer::column!($row $field $($value)?)),* }
            }
        }

        impl From<$model> for $name {
            fn from(row: $model) -> Self {
                Self::from(&row)
            }
        }
    };
}
pub(crate) use answer;

macro_rules! column {
    ($row:ident $field:ident) => {
        $row.$field.clone().into()
    };
    ($row:ident $field:ident $value:expr) => {
        $value
    };
}
pub(crate) use column;
