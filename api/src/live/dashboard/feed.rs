//! The frames of one guild in this process: the last thousand are kept for clients that resume.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::Serialize;
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::live::dashboard::frame::{Area, Frame, Nothing, text};

/// Frames that are kept, and their bytes.
const KEPT: usize = 1_000;
const KEPT_BYTES: usize = 1024 * 1024;
/// Frames that a socket may lag behind before it is closed.
const QUEUE: usize = 256;
/// Frames of events in each second. With more of them, as when a list of bans is imported, one `resync` stands for the rest.
const EVENTS: u32 = 100;
const EVENTS_IN: Duration = Duration::from_secs(1);

pub(crate) const RESYNC: &str = "resync";

pub(crate) struct Feed {
    /// Prefix of its ids; each feed has its own, so an id of another process or time is never mistaken for
    /// one of these.
    prefix: String,
    /// Cancelled once it follows the database: from then on a client reads nothing older than the frames.
    pub(crate) follows: CancellationToken,
    kept: Mutex<Kept>,
    sender: broadcast::Sender<Arc<Frame>>,
}

struct Kept {
    /// Number of the newest frame.
    last: u64,
    frames: VecDeque<Arc<Frame>>,
    bytes: usize,
    /// When the second of events began, and how many it had.
    second: Instant,
    events: u32,
}

/// The start of a socket.
pub(crate) struct Joined {
    /// The id after which its frames follow.
    pub(crate) id: String,
    pub(crate) start: Start,
    pub(crate) frames: broadcast::Receiver<Arc<Frame>>,
}

pub(crate) enum Start {
    /// The client named no id.
    New,
    /// These frames followed the one that it named.
    Resumed(Vec<Arc<Frame>>),
    /// The frame that it named is unknown here, or no longer kept.
    Lost,
}

impl Feed {
    pub(crate) fn new() -> Self {
        let (sender, _) = broadcast::channel(QUEUE);
        let second = Instant::now();
        let kept = Kept { last: 0, frames: VecDeque::new(), bytes: 0, second, events: 0 };
        Self {
            prefix: Uuid::new_v4().simple().to_string(),
            follows: CancellationToken::new(),
            kept: Mutex::new(kept),
            sender,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sockets that take its frames.
    pub(crate) fn sockets(&self) -> usize {
        self.sender.receiver_count()
    }

    fn id(&self, number: u64) -> String {
        format!("{}-{number}", self.prefix)
    }

    pub(crate) fn push<T: Serialize>(&self, area: Area, kind: &str, data: &T) {
        self.push_locked(&mut self.lock(), area, kind, data);
    }

    /// The same for a frame of an event; `make` runs only if the limit of this second is not used up.
    pub(crate) fn push_event<T: Serialize>(&self, area: Area, kind: &str, make: impl FnOnce() -> T) {
        let mut kept = self.lock();
        self.end_second(&mut kept);
        kept.events += 1;
        if kept.events <= EVENTS {
            self.push_locked(&mut kept, area, kind, &make());
        }
    }

    /// Sends the `resync` that stands for the events of a second that had too many.
    pub(crate) fn tick(&self) {
        self.end_second(&mut self.lock());
    }

    fn end_second(&self, kept: &mut Kept) {
        if kept.second.elapsed() < EVENTS_IN {
            return;
        }
        if kept.events > EVENTS {
            self.push_locked(kept, Area::All, RESYNC, &Nothing {});
        }
        (kept.second, kept.events) = (Instant::now(), 0);
    }

    fn push_locked<T: Serialize>(&self, kept: &mut Kept, area: Area, kind: &str, data: &T) {
        let number = kept.last + 1;
        let text = match text(&self.id(number), kind, data) {
            Ok(text) => text,
            Err(error) => return tracing::error!(%error, kind, "a frame could not be written: a bug"),
        };
        let frame = Arc::new(Frame { number, area, text });
        kept.last = number;
        kept.bytes += frame.text.len();
        kept.frames.push_back(frame.clone());
        while kept.frames.len() > KEPT || kept.bytes > KEPT_BYTES {
            let Some(oldest) = kept.frames.pop_front() else { break };
            kept.bytes -= oldest.text.len();
        }
        metrics::counter!("guildhall_dashboard_frames_total").increment(1);
        // Without sockets for the moment it has no receiver.
        let _ = self.sender.send(frame);
    }

    /// Begins after the frame with this id, or else with the next frame.
    pub(crate) fn join(&self, last_id: Option<&str>) -> Joined {
        let kept = self.lock();
        let frames = self.sender.subscribe();
        let Some(last_id) = last_id else {
            return Joined { id: self.id(kept.last), start: Start::New, frames };
        };
        let oldest = kept.frames.front().map_or(kept.last, |frame| frame.number - 1);
        let known = |number: &u64| (oldest..=kept.last).contains(number);
        let Some(last) = self.number(last_id).filter(known) else {
            return Joined { id: self.id(kept.last), start: Start::Lost, frames };
        };
        let later = kept.frames.iter().filter(|frame| frame.number > last).cloned();
        Joined { id: last_id.to_owned(), start: Start::Resumed(later.collect()), frames }
    }

    fn number(&self, id: &str) -> Option<u64> {
        let digits = id.strip_prefix(&self.prefix)?.strip_prefix('-')?;
        digits.parse().ok().filter(|number: &u64| number.to_string() == digits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn push(feed: &Feed) {
        feed.push(Area::All, "x.y", &Nothing {});
    }

    fn resumed(joined: &Joined) -> Option<&[Arc<Frame>]> {
        if let Start::Resumed(frames) = &joined.start { Some(frames) } else { None }
    }

    fn numbers(joined: &Joined) -> Option<Vec<u64>> {
        Some(resumed(joined)?.iter().map(|frame| frame.number).collect())
    }

    #[test]
    fn a_known_id_gets_what_followed_and_another_one_nothing() {
        let (feed, other) = (Feed::new(), Feed::new());
        (0..3).for_each(|_| push(&feed));
        let all = feed.join(Some(&feed.id(0)));
        assert_eq!((numbers(&all), &all.id), (Some(vec![1, 2, 3]), &feed.id(0)));
        let text = &resumed(&all).unwrap()[0].text;
        assert_eq!(text.as_str(), format!(r#"{{"id":"{}","type":"x.y","data":{{}}}}"#, feed.id(1)));
        assert_eq!(numbers(&feed.join(Some(&feed.id(2)))), Some(vec![3]));
        assert_eq!(numbers(&feed.join(Some(&feed.id(3)))), Some(vec![]));
        let fresh = feed.join(None);
        assert!(matches!(fresh.start, Start::New) && fresh.id == feed.id(3));
        for unknown in [&feed.id(4), &other.id(1), "", "-1", &format!("{}-02", feed.prefix)] {
            let joined = feed.join(Some(unknown));
            assert!(matches!(joined.start, Start::Lost) && joined.id == feed.id(3), "{unknown}");
        }
    }

    #[test]
    fn the_last_thousand_frames_are_kept() {
        let feed = Feed::new();
        (0..KEPT + 2).for_each(|_| push(&feed));
        assert_eq!(numbers(&feed.join(Some(&feed.id(1)))), None);
        assert_eq!(numbers(&feed.join(Some(&feed.id(2)))).unwrap().len(), KEPT);
        let large = "x".repeat(KEPT_BYTES / 4);
        (0..5).for_each(|_| feed.push(Area::All, "x.y", &large));
        assert!(feed.lock().frames.len() < 5 && feed.lock().bytes <= KEPT_BYTES);
    }

    #[test]
    fn a_flood_of_events_becomes_one_resync() {
        let feed = Feed::new();
        let mut joined = feed.join(None);
        (0..2 * EVENTS).for_each(|_| feed.push_event(Area::Moderation, "x.y", || Nothing {}));
        feed.tick();
        assert_eq!(joined.frames.len(), EVENTS as usize);
        feed.lock().second -= EVENTS_IN;
        feed.tick();
        let last = std::iter::from_fn(|| joined.frames.try_recv().ok()).last().unwrap();
        assert!(last.text.contains(RESYNC) && last.area == Area::All, "{last:?}");
        feed.tick();
        assert!(joined.frames.is_empty());
    }
}
