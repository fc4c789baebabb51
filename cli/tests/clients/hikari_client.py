"""hikari against the simulator."""

import hikari

import control
from control import FIRST_MEMBER, GUILD, REASON, ROLES, raises


async def reading(rest):
    guild = await rest.fetch_guild(GUILD)
    assert (guild.name, guild.id, guild.approximate_member_count) == ("Clients", GUILD, control.MEMBERS + 1)
    application = await rest.fetch_application()
    assert hikari.ApplicationFlags.GUILD_MEMBERS_INTENT & application.flags
    assert (await rest.fetch_my_user()).is_bot
    assert len(await rest.fetch_roles(GUILD)) == 7
    members = await rest.fetch_members(GUILD)
    assert len({member.id for member in members}) == control.MEMBERS + 1


async def changes(rest):
    await rest.add_role_to_member(GUILD, FIRST_MEMBER, ROLES[1], reason=REASON)
    assert str(ROLES[1]) in control.member(FIRST_MEMBER)["roles"]
    assert control.last_reason() == REASON
    await rest.remove_role_from_member(GUILD, FIRST_MEMBER, ROLES[1], reason="taken")
    assert str(ROLES[1]) not in control.member(FIRST_MEMBER)["roles"]
    renamed = await rest.edit_member(GUILD, FIRST_MEMBER, nickname="новый", reason="named")
    assert renamed.nickname == "новый" and control.last_reason() == "named"


async def missing(rest):
    async def grant(role):
        await rest.add_role_to_member(GUILD, FIRST_MEMBER, role)

    await raises(rest.fetch_guild(3), hikari.NotFoundError, 10004)
    await raises(rest.fetch_member(GUILD, control.OUTSIDER), hikari.NotFoundError, 10007)
    await raises(rest.fetch_member(GUILD, control.NOBODY), hikari.NotFoundError, 10013)
    await raises(grant(99), hikari.NotFoundError, 10011)
    await raises(grant(control.EVERYONE), hikari.NotFoundError, 10011)
    await raises(grant(control.HIGH_ROLE), hikari.ForbiddenError, 50013)
    twice = await raises(
        rest._request(hikari.internal.routes.PATCH_GUILD_MEMBER.compile(guild=GUILD, user=FIRST_MEMBER),
                      json={"roles": [str(ROLES[0])] * 2}),
        hikari.BadRequestError, 50035,
    )
    assert twice.errors["roles"]["1"]["_errors"][0]["code"] == "SET_TYPE_ALREADY_CONTAINS_VALUE", twice.errors


async def bans(rest):
    user = FIRST_MEMBER + 1
    await raises(rest.fetch_ban(GUILD, user), hikari.NotFoundError, 10026)
    await rest.ban_user(GUILD, user, reason=REASON)
    ban = await rest.fetch_ban(GUILD, user)
    assert (ban.reason, ban.user.id) == (REASON, user)
    await rest.unban_user(GUILD, user, reason="appeal")
    await raises(rest.unban_user(GUILD, user), hikari.NotFoundError, 10026)


async def channels(rest):
    category = await rest.create_guild_category(GUILD, "Tickets")
    viewer = hikari.PermissionOverwrite(
        id=FIRST_MEMBER, type=hikari.PermissionOverwriteType.MEMBER, allow=hikari.Permissions.VIEW_CHANNEL
    )
    hidden = hikari.PermissionOverwrite(
        id=GUILD, type=hikari.PermissionOverwriteType.ROLE, deny=hikari.Permissions.VIEW_CHANNEL
    )
    made = await rest.create_guild_text_channel(
        GUILD, "Ticket 1", topic="help", category=category, permission_overwrites=[hidden, viewer], reason=REASON
    )
    assert (made.name, made.topic, made.parent_id) == ("ticket-1", "help", category.id)
    assert made.permission_overwrites[GUILD].deny == hikari.Permissions.VIEW_CHANNEL
    assert made.permission_overwrites[FIRST_MEMBER].allow == hikari.Permissions.VIEW_CHANNEL
    assert len(await rest.fetch_guild_channels(GUILD)) == 3
    wrong = await raises(rest.create_guild_text_channel(GUILD, "x", category=77), hikari.BadRequestError, 50035)
    assert wrong.errors["parent_id"]["_errors"][0]["code"] == "CHANNEL_PARENT_INVALID", wrong.errors


async def limits(rest):
    """Fourteen changes need two windows of the bucket. Then another process uses up the bucket, so the client meets a 429."""
    before = control.stats()["member_updates"]
    for n in range(14):
        change = rest.add_role_to_member if n % 2 == 0 else rest.remove_role_from_member
        await change(GUILD, FIRST_MEMBER, ROLES[2])
    assert control.stats()["member_updates"] - before == 14
    control.spend_role_bucket(FIRST_MEMBER)
    limited = control.stats()["rate_limited"]
    await rest.add_role_to_member(GUILD, FIRST_MEMBER, ROLES[3])
    assert str(ROLES[3]) in control.member(FIRST_MEMBER)["roles"]
    assert control.stats()["rate_limited"] > limited, "the client met no 429"


async def main():
    app = hikari.RESTApp(url=f"{control.URL}/api/v10")
    await app.start()
    try:
        async with app.acquire("wrong", hikari.TokenType.BOT) as rest:
            await raises(rest.fetch_my_user(), hikari.UnauthorizedError, 0)
        async with app.acquire("right", hikari.TokenType.BOT) as rest:
            await reading(rest)
            await changes(rest)
            await missing(rest)
            await bans(rest)
            await channels(rest)
            control.intent(False)
            await raises(rest.fetch_members(GUILD), hikari.ForbiddenError, 50001)
            control.intent(True)
            await limits(rest)
    finally:
        await app.close()


control.run(main)
