-- The highest number of a guild's bans, and of its mutes, follows from the rows.

-- {postgres only}
CREATE FUNCTION sanction_numbered() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    UPDATE moderation_revision AS counted SET bans = greatest(bans, made.ban), mutes = greatest(mutes, made.mute)
    FROM (SELECT guild_id, max(number) FILTER (WHERE kind = 'ban') AS ban, max(number) FILTER (WHERE kind = 'mute') AS mute
        FROM added GROUP BY guild_id) AS made
    WHERE counted.guild_id = made.guild_id AND (made.ban > bans OR made.mute > mutes); --
    RETURN NULL; END $$;

-- {postgres only}
CREATE TRIGGER sanction_numbered AFTER INSERT ON sanction REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION sanction_numbered();

-- {sqlite only}
CREATE TRIGGER sanction_numbered AFTER INSERT ON sanction BEGIN
    UPDATE moderation_revision SET bans = max(bans, iif(NEW.kind = 'ban', NEW.number, 0)),
        mutes = max(mutes, iif(NEW.kind = 'mute', NEW.number, 0))
    WHERE guild_id = NEW.guild_id; END;
