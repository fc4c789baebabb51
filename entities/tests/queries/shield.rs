//! Shield: imports count users who were already flagged; a lifted flag is kept and may be set again.

use entities::shield_flag::{self, NewFlag, Origin};
use entities::{Page, PlayId};

use crate::fixture::{Fixture, at, both_databases, chat, guild, play};

fn flag(n: i64) -> NewFlag {
    NewFlag { play: play(n), play_username: format!("player_{n}"), reason: "exploiting".to_owned() }
}

both_databases! {
    async fn an_import_skips_who_is_flagged_already(fixture: &Fixture) {
        let origin = Origin { by: chat(1), guild: Some(guild()), source: "import", at: at(0) };
        let import = async |flags: &[NewFlag]| shield_flag::import(fixture.conn(), flags, origin).await.unwrap();
        assert_eq!(import(&[flag(1), flag(2), flag(1)]).await, 2);
        assert_eq!(import(&[flag(2), flag(3)]).await, 1);
        assert_eq!(import(&[]).await, 0);
        let many: Vec<NewFlag> = (1..=2_500).map(flag).collect();
        assert_eq!(import(&many).await, 2_497);
        let asked: Vec<PlayId> = [3, 1, 9_999].map(play).to_vec();
        let found = shield_flag::find_many(fixture.conn(), &asked).await.unwrap();
        assert_eq!(found.iter().map(|flag| flag.play_id).collect::<Vec<_>>(), [play(1), play(3)]);
        assert_eq!((found[0].flagged_by, found[0].flagged_by_guild), (chat(1), Some(guild())));
    }

    async fn a_lifted_flag_is_kept_and_the_user_may_be_flagged_again(fixture: &Fixture) {
        let origin = Origin { by: chat(1), guild: None, source: "manual", at: at(0) };
        shield_flag::import(fixture.conn(), &[flag(1)], origin).await.unwrap();
        let lifted = shield_flag::lift(fixture.conn(), play(1), None, "appeal", at(1)).await.unwrap().unwrap();
        assert_eq!(lifted.lifted_reason.as_deref(), Some("appeal"));
        assert!(shield_flag::lift(fixture.conn(), play(1), None, "appeal", at(1)).await.unwrap().is_none());
        assert!(shield_flag::find_many(fixture.conn(), &[play(1)]).await.unwrap().is_empty());
        assert_eq!(shield_flag::import(fixture.conn(), &[flag(1)], origin).await.unwrap(), 1);
        let list = async |lifted| shield_flag::list(fixture.conn(), lifted, Page::first(10)).await.unwrap().len();
        assert_eq!((list(None).await, list(Some(true)).await, list(Some(false)).await), (2, 1, 1));
    }
}
