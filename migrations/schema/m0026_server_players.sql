-- The game ids of who is on a server, as its last ticks listed them, and when; null: it sends no list.
ALTER TABLE game_server ADD COLUMN players {json};
ALTER TABLE game_server ADD COLUMN players_at {time};
