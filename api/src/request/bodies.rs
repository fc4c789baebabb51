//! Reads bodies within their size and time, and within the memory that this process has for all of them
//! (docs/rules.md 3): a client that sends much, or slowly, delays only itself.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Buf, Bytes, BytesMut};
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use http::{HeaderMap, header};
use runtime::network_of;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::limits::turns::place;
use crate::request::inflate::{inflate, is_gzip};
use crate::response::error::{ApiError, Kind};

/// Memory for all bodies that are read or worked on, KiB.
const PROCESS: usize = 32 * 1024;
/// Memory for those of one guild, or of one person outside of guilds: two imports.
const OWNER: usize = 8 * 1024;
/// Owners share places by hash, so that no state is kept for each.
const PLACES: usize = 1 << 10;
/// Smaller bodies, bytes, are not counted: there are no more of them than connections.
const SMALL: usize = 4 * 1024;
/// How long a body waits for room, at least, and at most twice as long: clients that come together are not refused
/// together. Its bytes wait in the client.
const WAIT_FOR_ROOM: Duration = Duration::from_secs(5);
/// From the first byte to the last.
const READ_TIMEOUT: Duration = Duration::from_secs(15);
/// Between two parts.
const IDLE_TIMEOUT: Duration = Duration::from_secs(5);
/// Bytes of a refused body that are still read, and for how long: a client reads its answer only once it has
/// sent the body, and otherwise sees a broken connection.
const DISCARDED: usize = 1024 * 1024;
const DISCARDS_FOR: Duration = Duration::from_secs(2);

/// The owner of bodies of callers who have no key yet: whoever sends slowly holds up nobody from elsewhere.
pub(crate) fn stranger(address: IpAddr) -> i64 {
    let mut hasher = DefaultHasher::new();
    network_of(address).hash(&mut hasher);
    hasher.finish().cast_signed()
}

pub(crate) type BodyStream = BoxStream<'static, Result<Bytes, warp::Error>>;

pub(crate) struct Bodies {
    process: Arc<Semaphore>,
    owners: Vec<Arc<Semaphore>>,
    wait_for_room: Duration,
    idle_timeout: Duration,
}

impl Default for Bodies {
    fn default() -> Self {
        let owners = (0..PLACES).map(|_| Arc::new(Semaphore::new(OWNER)));
        Self {
            process: Arc::new(Semaphore::new(PROCESS)),
            owners: owners.collect(),
            wait_for_room: WAIT_FOR_ROOM,
            idle_timeout: IDLE_TIMEOUT,
        }
    }
}

/// A body with its share of the memory, which is freed when the bytes are dropped.
struct Held {
    bytes: Bytes,
    _room: Option<[OwnedSemaphorePermit; 2]>,
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Bodies {
    /// The whole body, at most `limit` bytes. `owner` is the id of the guild or person that sends it. The
    /// bytes hold their memory, so they are kept for as long as what was made of them.
    pub(crate) async fn read(
        &self,
        mut body: BodyStream,
        headers: &HeaderMap,
        limit: usize,
        owner: i64,
    ) -> Result<Bytes, ApiError> {
        let packed = is_gzip(headers)?;
        // That of the text is not known.
        let announced = if packed { None } else { announced_length(headers) };
        let read = self.read_in_room(&mut body, (announced, packed), limit, owner).await;
        if read.as_ref().is_err_and(|error| matches!(error.kind(), Kind::TooLarge | Kind::Unavailable)) {
            // Boxed, because hardly any request waits.
            Box::pin(skip(body, headers)).await;
        }
        read
    }

    async fn read_in_room(
        &self,
        body: &mut BodyStream,
        (announced, packed): (Option<u64>, bool),
        limit: usize,
        owner: i64,
    ) -> Result<Bytes, ApiError> {
        let length = match announced {
            // Of unknown length.
            None => limit,
            Some(length) => usize::try_from(length).unwrap_or(usize::MAX),
        };
        if length > limit {
            return Err(ApiError::body_too_large(limit));
        }
        let mut room = self.room(length, owner).await?;
        let collected = tokio::time::timeout(READ_TIMEOUT, collect(body, limit, self.idle_timeout)).await;
        let mut bytes = collected.unwrap_or_else(|_| Err(ApiError::body_timeout()))?;
        if packed {
            bytes = inflate(&bytes, limit)?;
        }
        free_unused(&mut room, bytes.len());
        Ok(if room.is_some() { Bytes::from_owner(Held { bytes, _room: room }) } else { bytes })
    }

    async fn room(&self, bytes: usize, owner: i64) -> Result<Option<[OwnedSemaphorePermit; 2]>, ApiError> {
        if bytes <= SMALL {
            return Ok(None);
        }
        let kib = u32::try_from(bytes.div_ceil(1024)).unwrap_or(u32::MAX);
        let own = &self.owners[place(owner, PLACES)];
        // The owner's permits first: waiting for these takes nothing from others.
        let both = async {
            let own = own.clone().acquire_many_owned(kib).await;
            Ok::<_, tokio::sync::AcquireError>([own?, self.process.clone().acquire_many_owned(kib).await?])
        };
        let patience = self.wait_for_room.mul_f64(1.0 + rand::random::<f64>());
        let got = tokio::time::timeout(patience, Box::pin(both)).await.ok().and_then(Result::ok);
        got.map(Some).ok_or_else(|| {
            ApiError::unavailable("bodies_busy", "too many large bodies are being read; send it again later")
        })
    }
}

/// Of a body whose length was not known.
fn free_unused(room: &mut Option<[OwnedSemaphorePermit; 2]>, bytes: usize) {
    if bytes <= SMALL {
        *room = None;
    }
    for permits in room.iter_mut().flatten() {
        let unused = permits.num_permits().saturating_sub(bytes.div_ceil(1024));
        drop(permits.split(unused));
    }
}

/// A form that is cut where it has more fields than any page.
pub(crate) fn of_fields(body: BodyStream, most: usize) -> BodyStream {
    let until = body.scan(0, move |fields, part| {
        let is_read = *fields <= most;
        *fields += part.as_ref().map_or(0, |part| memchr::memchr_iter(b'&', part).count());
        std::future::ready(is_read.then_some(part))
    });
    until.boxed()
}

/// Drains a body that is not used, unless it is too long for that.
pub(crate) async fn skip(mut body: BodyStream, headers: &HeaderMap) {
    if announced_length(headers).is_some_and(|length| length > DISCARDED as u64) {
        return;
    }
    let discard = async {
        let mut discarded = 0;
        while discarded < DISCARDED
            && let Some(Ok(part)) = body.next().await
        {
            discarded += part.len();
        }
    };
    let _sent: Result<(), _> = tokio::time::timeout(DISCARDS_FOR, discard).await;
}

fn announced_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

async fn collect(body: &mut BodyStream, limit: usize, idle: Duration) -> Result<Bytes, ApiError> {
    let mut bytes = BytesMut::new();
    let next = async |body: &mut BodyStream| {
        tokio::time::timeout(idle, body.next()).await.map_err(|_| ApiError::body_timeout())
    };
    while let Some(part) = next(body).await? {
        let part = part.map_err(|error| {
            ApiError::body("body_incomplete", "the body ended before it was complete").cause(error)
        })?;
        if bytes.len() + part.remaining() > limit {
            return Err(ApiError::body_too_large(limit));
        }
        bytes.extend_from_slice(&part);
    }
    Ok(bytes.freeze())
}

#[cfg(test)]
mod tests {
    use futures_util::stream;

    use super::*;

    const LARGE: usize = 4 * 1024 * 1024;

    fn announcing(length: usize) -> HeaderMap {
        HeaderMap::from_iter([(header::CONTENT_LENGTH, length.into())])
    }

    /// A client that sends so many bytes, and then nothing more.
    fn stalling(bytes: usize) -> BodyStream {
        stream::iter([Ok(vec![b'x'; bytes].into())]).chain(stream::pending()).boxed()
    }

    fn whole(bytes: usize) -> BodyStream {
        stream::iter([Ok(vec![b'x'; bytes].into())]).boxed()
    }

    #[tokio::test]
    async fn who_stalls_uses_the_own_room_and_is_gone_soon() {
        let (idle_timeout, wait_for_room) = (Duration::from_millis(200), Duration::from_millis(50));
        let bodies = Bodies { wait_for_room, idle_timeout, ..Bodies::default() };
        let none = HeaderMap::new();
        let stall = || bodies.read(stalling(1), &none, LARGE, 7);
        let others = async {
            tokio::task::yield_now().await;
            // There is no memory for a third body of this owner.
            let refused = bodies.read(whole(9), &none, LARGE, 7).await.unwrap_err();
            assert_eq!((refused.kind(), refused.parts().word.as_ref()), (Kind::Unavailable, "bodies_busy"));
            assert!(refused.parts().retry_after.is_some());
            let other = bodies.read(whole(LARGE), &announcing(LARGE), LARGE, 8).await.unwrap();
            let small = bodies.read(whole(SMALL), &announcing(SMALL), LARGE, 7).await.unwrap();
            assert_eq!((other.len(), small.len()), (LARGE, SMALL));
        };
        let (one, two, ()) = tokio::join!(stall(), stall(), others);
        for stalled in [one, two] {
            assert_eq!(stalled.unwrap_err().kind(), Kind::RequestTimeout);
        }
        assert_eq!(bodies.process.available_permits(), PROCESS);
    }

    #[tokio::test]
    async fn a_body_has_its_room_until_it_is_dropped() {
        let bodies = Bodies::default();
        let body = bodies.read(whole(10_000), &announcing(10_000), LARGE, 7).await.unwrap();
        let copy = body.clone();
        drop(body);
        assert_eq!(bodies.process.available_permits(), PROCESS - 10);
        drop(copy);
        assert_eq!(bodies.process.available_permits(), PROCESS);
        // The limit counts announced and real bytes.
        for headers in [HeaderMap::new(), announcing(11)] {
            let too_large = bodies.read(whole(11), &headers, 10, 7).await.unwrap_err();
            assert_eq!(too_large.kind(), Kind::TooLarge);
        }
        assert_eq!(bodies.process.available_permits(), PROCESS);
    }
}
