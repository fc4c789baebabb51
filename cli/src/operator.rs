//! What commands beside running processes share: how they open the database, the unit of work that holds a change, and
//! the rows that several of them write.

mod args;
mod guild;
mod key;
mod os_user;
mod sync_quota;
mod unit_of_work;

pub(crate) use args::{GuildArgs, GuildListArgs, LimitArgs, ListArgs, OperatorArgs};
pub(crate) use guild::{new_guild, refuse_known, require_guild};
pub(crate) use key::create_key;
pub(crate) use os_user::os_user;
pub(crate) use sync_quota::quota_error;
pub(crate) use unit_of_work::{UnitOfWork, audit, operator};
