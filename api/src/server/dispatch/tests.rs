use super::*;
use crate::endpoints::{guilds, lookup, moderation, play, shield, staff};

fn bytes_of_1<A, F>(_: impl FnOnce(A) -> F) -> usize {
    size_of::<F>()
}

fn bytes_of_2<A, B, F>(_: impl FnOnce(A, B) -> F) -> usize {
    size_of::<F>()
}

/// Each layer between the connection and the handler moves the future of the one below, for every request: what only some
/// requests wait for is in a box.
#[test]
fn no_request_moves_the_room_that_only_some_need() {
    let answer = bytes_of_2(answer);
    assert!(answer <= 2_500, "{answer}");
    let hot = [
        ("ban-status", bytes_of_1(moderation::ban_status::get::handle)),
        ("mute-status", bytes_of_1(moderation::mute_status::get::handle)),
        ("lookup", bytes_of_1(lookup::chat::get::handle)),
        ("Shield check", bytes_of_1(shield::check::get::handle)),
        ("Shield batch", bytes_of_1(shield::batch::post::handle)),
        ("commands", bytes_of_1(play::servers::commands::get::handle)),
        ("server heartbeat", bytes_of_1(play::servers::heartbeat::post::handle)),
        ("session heartbeat", bytes_of_1(staff::play::heartbeat::post::handle)),
        ("staff verify", bytes_of_1(staff::play::verify::post::handle)),
        ("play permissions", bytes_of_1(guilds::staff::play::permissions::get::handle)),
    ];
    for (name, bytes) in hot {
        assert!(bytes <= 1_000, "{name}: {bytes}");
    }
}
