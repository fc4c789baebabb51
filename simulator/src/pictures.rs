//! Pictures of people and guilds: a hash for most of them, and for each hash one of a few flat colours.

use sha2::{Digest as _, Sha256};

use crate::application_key::hex;

const COLOURS: [&[u8]; 5] = [
    include_bytes!("pictures/blue.png"),
    include_bytes!("pictures/green.png"),
    include_bytes!("pictures/orange.png"),
    include_bytes!("pictures/purple.png"),
    include_bytes!("pictures/red.png"),
];
/// Every tenth has no picture.
const WITHOUT: i64 = 10;
/// The platform's hashes have 32 digits.
const HASH_BYTES: usize = 16;

/// The hash of the picture, which stays the same.
pub(crate) fn hash_of(id: i64) -> Option<String> {
    let digest = Sha256::digest(id.to_string());
    (id % WITHOUT != WITHOUT - 1).then(|| hex(&digest[..HASH_BYTES]))
}

pub(crate) fn colour(id: i64) -> &'static [u8] {
    let index = usize::try_from(id.unsigned_abs()).unwrap_or_default() % COLOURS.len();
    COLOURS[index]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_in_ten_has_no_picture() {
        assert_eq!((0..100).filter(|id| hash_of(*id).is_none()).count(), 10);
        assert_eq!(hash_of(7), hash_of(7));
        assert_eq!(hash_of(7).map(|hash| hash.len()), Some(32));
        assert!((0..5).all(|id| colour(id).starts_with(b"\x89PNG\r\n")));
    }
}
