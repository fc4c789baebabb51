//! Members with their role, link and duty; roles that are held cannot be deleted.

use entities::{Page, RoleId, staff_directory, staff_member, staff_note, staff_role};

use crate::fixture::{Fixture, at, both_databases, chat, guild, other_guild, play};

both_databases! {
    async fn members_come_with_role_link_and_permissions(fixture: &Fixture) {
        fixture.hire(chat(2), 5).await;
        fixture.hire(chat(1), 6).await;
        fixture.link(chat(1), play(1)).await;
        let members = staff_directory::list(fixture.conn(), guild(), at(0)).await.unwrap();
        let told: Vec<_> = members.iter().map(|one| (one.chat_id, one.play_id, one.role_name.as_str())).collect();
        assert_eq!(told, [(chat(1), Some(play(1)), "Mod 6"), (chat(2), None, "Mod 5")]);
        assert_eq!(members[0].play_permissions.0, ["kick", "warn"]);
        assert!(!members[0].on_duty);
        let found = staff_directory::find_by_play(fixture.conn(), guild(), play(1)).await.unwrap();
        assert_eq!(found.unwrap().chat_id, members[0].chat_id);
        assert!(staff_directory::find_by_play(fixture.conn(), guild(), play(2)).await.unwrap().is_none());
        assert!(staff_directory::find(fixture.conn(), other_guild(), chat(1), at(0)).await.unwrap().is_none());
    }

    async fn another_role_replaces_the_first_and_a_held_role_stays(fixture: &Fixture) {
        fixture.hire(chat(1), 5).await;
        let (old, new) = (RoleId::try_from(5).unwrap(), RoleId::try_from(6).unwrap());
        fixture.hire(chat(2), 6).await;
        let moved = staff_member::Model { guild_id: guild(), chat_id: chat(1), role_id: new, joined_at: at(0), by_role: false };
        staff_member::put(fixture.conn(), moved.clone()).await.unwrap();
        let found = staff_member::find_for_update(fixture.conn(), guild(), chat(1)).await.unwrap();
        assert_eq!(found, Some(moved));
        assert_eq!(staff_member::count_with_role(fixture.conn(), guild(), new).await.unwrap(), 2);
        assert!(staff_role::delete(fixture.conn(), guild(), new).await.is_err());
        assert!(staff_role::delete(fixture.conn(), guild(), old).await.unwrap().is_some());
        assert!(staff_role::delete(fixture.conn(), guild(), old).await.unwrap().is_none());
        assert!(staff_member::delete(fixture.conn(), guild(), chat(1)).await.unwrap().is_some());
        assert!(staff_member::delete(fixture.conn(), guild(), chat(1)).await.unwrap().is_none());
    }

    async fn a_guild_goes_with_everything_it_has(fixture: &Fixture) {
        fixture.hire(chat(1), 5).await;
        fixture.execute(&format!("DELETE FROM guild WHERE guild_id = {}", guild())).await;
        assert!(staff_role::list(fixture.conn(), guild()).await.unwrap().is_empty());
    }

    async fn notes_are_edited_and_deleted_in_their_guild_only(fixture: &Fixture) {
        let new = staff_note::NewNote { staff_id: chat(1), author_id: chat(9), body: "good".to_owned() };
        let note = staff_note::add(fixture.conn(), guild(), new, at(0)).await.unwrap();
        let edit = async |guild| staff_note::edit(fixture.conn(), guild, note.note_id, "better", at(5)).await.unwrap();
        assert!(edit(other_guild()).await.is_none());
        assert_eq!(edit(guild()).await.unwrap().body, "better");
        assert_eq!(staff_note::list(fixture.conn(), guild(), Some(chat(1)), Page::first(10)).await.unwrap().len(), 1);
        assert!(staff_note::list(fixture.conn(), guild(), Some(chat(2)), Page::first(10)).await.unwrap().is_empty());
        assert!(staff_note::delete(fixture.conn(), other_guild(), note.note_id).await.unwrap().is_none());
        assert!(staff_note::delete(fixture.conn(), guild(), note.note_id).await.unwrap().is_some());
    }
}
