//! Answers with a whole list, however long.
//!
//! A list is read in pages from one state of the database and rendered once for all calls that wait for it. A long one is
//! built on a thread of its own, one of the process at a time, and is sent under a permit.

use std::hash::Hash;
use std::sync::Arc;

use bytes::Bytes;
use console::Broken;
use entities::{Conn, GuildId, Timestamp};
use sea_orm::DbErr;
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use crate::cache::lists::Lists;
use crate::endpoints::prelude::*;
use crate::request::if_none_match;
use crate::response::chunks::{ChunkWriter, Chunks};
use crate::response::large::{AnswerPermit, LARGE};
use crate::response::ready::Ready;
use crate::state::State;

/// Rows of one query. The call itself builds a shorter list.
const ROWS: usize = 500;

pub(crate) trait WholeList: Send + 'static {
    type Row: Serialize + Send;

    /// The next rows, at most `limit`; fewer are the last.
    fn next(
        &mut self,
        conn: &impl Conn,
        limit: u64,
    ) -> impl Future<Output = Result<Vec<Self::Row>, DbErr>> + Send;

    /// What surrounds the rows that were read.
    fn frame(&self) -> Result<Frame, ApiError>;
}

pub(crate) struct Frame {
    /// The answer with an empty list, the first in it.
    pub(crate) reply: Reply,
    /// `None`: the tag follows from the text.
    pub(crate) etag: Option<String>,
    /// The time at which the list changes without an event.
    pub(crate) until: Option<Timestamp>,
}

impl Frame {
    /// What precedes the rows, and what follows them.
    fn split(&self) -> Result<(Bytes, Bytes), ApiError> {
        let mut text = self.reply.render()?;
        let empty = text.windows(2).position(|pair| pair == b"[]");
        let head = text.split_to(empty.map_or(0, |at| at + 1));
        Ok((head, text))
    }
}

/// The answer to this call, with the list that `lists` keeps under `key`.
pub(crate) async fn reply<K, L>(
    call: &Call,
    lists: &Lists<K>,
    key: K,
    new: impl Fn() -> L,
) -> Result<Reply, ApiError>
where
    K: Hash + Eq + Copy + Send + Sync + 'static,
    L: WholeList,
{
    let (guild, clock) = (call.guild(), &call.state.context.clock);
    let current = async || lists.get_or_build(guild, key, clock, || build(&call.state, guild, &new)).await;
    let list = current().await?;
    if let Some(tag) = &list.etag
        && if_none_match::has(&call.headers, tag)
    {
        return Ok(Reply::not_modified(tag.clone()));
    }
    if !list.is_large() {
        return Ok(Reply::ready(list, None));
    }
    if call.head {
        return Ok(Reply::head(list.etag.clone()));
    }
    // The wait may be long, and the list may change.
    drop(list);
    let permit = call.state.large_answers.permit(guild).await?;
    let list = current().await?;
    if list.body.is_held() {
        return Ok(Reply::ready(list, Some(permit)));
    }
    let (send, pages) = mpsc::channel(1);
    let sending = send_pages(call.state.clone(), new(), send, permit).in_current_span();
    call.state.context.shutdown.tracker().spawn(sending);
    Ok(Reply::made(pages))
}

/// A list too long to keep: read while it is sent, for this call only.
async fn send_pages<L: WholeList>(
    state: Arc<State>,
    mut list: L,
    send: mpsc::Sender<Result<Bytes, Broken>>,
    permit: AnswerPermit,
) {
    let mut sent = 0;
    loop {
        let part = next_part(&state, &mut list, sent).await;
        let more = matches!(part, Ok((_, true)));
        if let Err(error) = &part {
            tracing::warn!(?error, "cannot read the rest of a long list");
        }
        if let Ok((part, _)) = &part {
            permit.wait_to_send(part.len()).await;
        }
        // The client may have left.
        if send.send(part.map(|(part, _)| part).map_err(|_| Broken)).await.is_err() || !more {
            return;
        }
        sent += 1;
    }
}

/// The next part, and whether there are more.
async fn next_part<L: WholeList>(
    state: &State,
    list: &mut L,
    sent: usize,
) -> Result<(Bytes, bool), ApiError> {
    let rows = list.next(state.context.database.read(), ROWS as u64).await?;
    let mut writer = ChunkWriter::default();
    writer.elements(&rows)?;
    let (head, tail) = list.frame()?.split()?;
    let head = if sent == 0 { head } else { Bytes::from_static(if rows.is_empty() { b"" } else { b"," }) };
    let more = rows.len() == ROWS;
    let part = writer.finish(&head, if more { b"" } else { &tail });
    Ok((part.parts().concat().into(), more))
}

async fn build<L: WholeList>(
    state: &Arc<State>,
    guild: GuildId,
    new: impl Fn() -> L,
) -> Result<Arc<Ready>, ApiError> {
    if let Some(list) = render(state, guild, new(), 1).await? {
        return Ok(Arc::new(list));
    }
    let _turn = state.large_answers.turn_to_build().await?;
    let stop = CancellationToken::new();
    let _stop_with_the_call = stop.clone().drop_guard();
    let (state, list, runtime) = (state.clone(), new(), Handle::current());
    let work = async move { stop.run_until_cancelled(render(&state, guild, list, usize::MAX)).await };
    let work = work.in_current_span();
    let built = tokio::task::spawn_blocking(move || runtime.block_on(work)).await;
    let list = built.map_err(ApiError::internal)?.transpose()?.flatten();
    list.map(Arc::new).ok_or_else(|| ApiError::unavailable("stopping", "this process stops"))
}

/// `None`: there are more pages than that.
async fn render<L: WholeList>(
    state: &State,
    guild: GuildId,
    mut list: L,
    pages: usize,
) -> Result<Option<Ready>, ApiError> {
    let snapshot = state.context.database.snapshot().await?;
    let (mut writer, mut memory) = (ChunkWriter::default(), state.large_answers.memory(guild));
    for page in 1.. {
        let rows = list.next(&snapshot, ROWS as u64).await?;
        writer.elements(&rows)?;
        if rows.len() < ROWS {
            break;
        }
        if page == pages {
            return Ok(None);
        }
        if !memory.may_cover(writer.len()) {
            return Ok(Some(Ready::new(Chunks::too_long(writer.len()), None, None)));
        }
        state.cover(&mut memory, writer.len()).await?;
    }
    drop(snapshot);
    let frame = list.frame()?;
    let (head, tail) = frame.split()?;
    let mut body = writer.finish(&head, &tail);
    if body.len() >= LARGE {
        state.cover(&mut memory, body.len()).await?;
        body = body.held_by(memory);
    }
    let etag = frame.etag.unwrap_or_else(|| body.tag());
    Ok(Some(Ready::new(body, Some(etag), frame.until)))
}
