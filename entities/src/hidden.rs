//! Guilds that are being imported or removed. What goes through the rows of all guilds leaves theirs out: the rest of an
//! import would not fit to a row that was changed meanwhile.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, ExprTrait, Query, SimpleExpr};

/// The row is of a guild that is not hidden. A list of the few that are, so that the row is found by an index of its own
/// table.
pub(crate) fn not_hidden(guild: impl ColumnTrait) -> SimpleExpr {
    let hidden = Query::select()
        .column("guild_id")
        .from("guild")
        .and_where(Expr::col("removing_since").is_not_null())
        .take();
    guild.into_expr().not_in_subquery(hidden)
}
