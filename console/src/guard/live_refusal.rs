//! Why a live socket is refused, or closed.

use people::RightsError;

use crate::response::PageError;

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LiveRefusal {
    #[error(
        "sign in to the console, or send an access token of the chat platform as `Authorization: Bearer`"
    )]
    NotSignedIn,
    #[error("the chat platform does not accept this access token, or it was issued to another application")]
    BadToken,
    #[error("a page of another origin may not open this socket")]
    OtherOrigin,
    /// A guild that does not exist gets the same answer.
    #[error("there is no such guild, or you are not on its staff")]
    NoRights,
    #[error("the rights cannot be read at the moment; try again later")]
    Unavailable,
}

impl From<RightsError> for LiveRefusal {
    fn from(_: RightsError) -> Self {
        Self::Unavailable
    }
}

impl From<PageError> for LiveRefusal {
    fn from(error: PageError) -> Self {
        match error {
            PageError::NotFound => Self::NoRights,
            PageError::SignedOut => Self::NotSignedIn,
            _ => Self::Unavailable,
        }
    }
}
