//! An answer that shows how a job goes on, until the job ends.

use std::sync::Arc;
use std::time::Duration;

use entities::JobId;
use entities::job::{Model, listing};

use crate::call::{Call, Problem};
use crate::command::{Answer, Follow, Reply};
use crate::editor::Editor;
use crate::message::Message;

/// Between two looks at the job, and so between two changes of the message.
const LOOK_INTERVAL: Duration = Duration::from_secs(2);
/// The platform takes changes for 15 minutes.
const FOLLOWED_FOR: Duration = Duration::from_mins(14);

/// Answers with `words` about the job as it is, again and again. `page`: where to look later.
pub(crate) async fn follow<W>(call: &Call, job: JobId, words: W) -> Result<Answer, Problem>
where
    W: Fn(&Model) -> Message + Send + Sync + 'static,
{
    let page = call.page(&format!("/jobs/{job}"));
    let (guild, words) = (call.guild.guild_id, Arc::new(words));
    let look = |row: Option<Model>, words: &W| row.as_ref().map(words);
    let first = look(listing::find(call.read(), guild, job).await?, &words);
    let first = first.unwrap_or_else(|| Message::new("Queued."));
    let reply = Reply::Message(first.clone());
    let follow: Follow = Box::new(move |editor: Editor| {
        Box::pin(async move {
            let (context, mut shown) = (editor.chat.context.clone(), first);
            let watch = async {
                loop {
                    tokio::time::sleep(LOOK_INTERVAL).await;
                    // While the database is away the message stays.
                    let found = listing::find(context.database.read(), guild, job).await;
                    let Ok(row) = found else { continue };
                    let is_open = row.as_ref().is_some_and(|row| row.state.is_open());
                    if let Some(now) = look(row, &words).filter(|now| *now != shown) {
                        if !editor.edit(&now).await {
                            return true;
                        }
                        shown = now;
                    }
                    if !is_open {
                        return true;
                    }
                }
            };
            let watch = context.shutdown.soft().run_until_cancelled(watch);
            let ended = tokio::time::timeout(FOLLOWED_FOR, watch).await.ok().flatten();
            if ended.is_none() {
                let text = "This goes on in the background; this message is not changed any more.";
                editor.edit(&Message::new(text).link("Look at it", page)).await;
            }
        })
    });
    Ok(Answer { reply, follow: Some(follow) })
}
