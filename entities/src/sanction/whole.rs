//! A whole list of sanctions in force, read in ranges. Which rows are outlasted is read once for the list: asked for each
//! range by the people in it, Postgres would read all rows of a large guild for each.

use std::collections::HashSet;

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, ExprTrait, Query, SelectStatement};
use sea_orm::{FromQueryResult, Order, QueryTrait};

use super::list::{List, Listed, of_list};
use super::model::{Column, Entity, Model, Places, in_force};
use crate::{Conn, Result, SanctionId, Timestamp};

/// The game user of a chat user. Not a join: for few links Postgres would search them all for each row.
const LINKED: &str =
    "(SELECT play_id FROM link WHERE link.guild_id = sanction.guild_id AND link.chat_id = sanction.chat_id)";

/// The sanctions of a list that are in force at one time.
#[derive(Debug)]
pub struct Whole {
    list: List,
    now: Timestamp,
    outlasted: HashSet<SanctionId>,
}

impl Whole {
    pub async fn begin(conn: &impl Conn, list: List, now: Timestamp) -> Result<Self> {
        let place = if list.places == Places::All { ", sanction.place_id" } else { "" };
        // Ids of both platforms are positive.
        let order = format!(
            "row_number() OVER (PARTITION BY coalesce(sanction.play_id, {LINKED}, -sanction.chat_id){place} \
             ORDER BY (sanction.expires_at IS NULL) DESC, sanction.expires_at DESC, sanction.sanction_id DESC)"
        );
        let mut ordered = rows(list, now);
        ordered.clear_selects().column((Entity, Column::SanctionId)).expr_as(Expr::cust(order), "position");
        let mut outlasted = Query::select();
        outlasted.column(Column::SanctionId).from_subquery(ordered, "ordered");
        outlasted.and_where(Expr::col("position").gt(1));
        let outlasted = conn.query_all(&outlasted).await?;
        let ids: Result<_> = outlasted.iter().map(|row| row.try_get("", "sanction_id")).collect();
        Ok(Self { list, now, outlasted: ids? })
    }

    /// Also those that are outlasted, oldest first: at most `limit`, from the one after `after` on.
    pub async fn range(
        &self,
        conn: &impl Conn,
        after: Option<SanctionId>,
        limit: u64,
    ) -> Result<Vec<Listed>> {
        let mut range = rows(self.list, self.now);
        range.expr_as(Expr::cust(LINKED), "linked_play_id");
        range.and_where_option(after.map(|after| Column::SanctionId.gt(after)));
        range.order_by((Entity, Column::SanctionId), Order::Asc).limit(limit);
        let listed = |row: &QueryResult| {
            let sanction = Model::from_query_result(row, "")?;
            let is_outlasted = self.outlasted.contains(&sanction.sanction_id);
            Ok(Listed::new(sanction, row.try_get("", "linked_play_id")?, is_outlasted))
        };
        conn.query_all(&range).await?.iter().map(listed).collect()
    }
}

fn rows(list: List, now: Timestamp) -> SelectStatement {
    of_list(list).filter(in_force(now)).into_query()
}
