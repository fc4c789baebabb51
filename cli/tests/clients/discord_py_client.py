"""discord.py against the simulator."""

import discord
from discord.http import Route

import control
from control import FIRST_MEMBER, GUILD, REASON, ROLES, raises

Route.BASE = f"{control.URL}/api/v10"


def client():
    return discord.Client(intents=discord.Intents(guilds=True, members=True, bans=True))


async def wrong_token():
    async with client() as bot:
        try:
            await bot.login("wrong")
        except discord.LoginFailure:
            return
    raise AssertionError("a wrong token was taken")


async def reading(bot, guild):
    assert (guild.name, guild.id) == ("Clients", GUILD)
    assert bot.application.flags.gateway_guild_members_limited
    roles = await guild.fetch_roles()
    assert len(roles) == 7 and roles[0].is_default(), roles
    members = [member async for member in guild.fetch_members(limit=None)]
    assert len({member.id for member in members}) == control.MEMBERS + 1
    assert sum(member.bot for member in members) == 1


async def changes(guild):
    member = await guild.fetch_member(FIRST_MEMBER)
    role = discord.Object(ROLES[1])
    await member.add_roles(role, reason=REASON)
    assert str(ROLES[1]) in control.member(FIRST_MEMBER)["roles"]
    assert control.last_reason() == REASON
    await member.remove_roles(role, reason="taken")
    assert str(ROLES[1]) not in control.member(FIRST_MEMBER)["roles"]
    renamed = await member.edit(nick="новый", reason="named")
    assert renamed.nick == "новый" and control.last_reason() == "named"
    assert control.stats()["member_updates"] == 3
    return member


async def missing(bot, guild, member):
    await raises(bot.fetch_guild(3), discord.NotFound, 10004)
    await raises(guild.fetch_member(control.OUTSIDER), discord.NotFound, 10007)
    await raises(guild.fetch_member(control.NOBODY), discord.NotFound, 10013)
    await raises(member.add_roles(discord.Object(99)), discord.NotFound, 10011)
    await raises(member.add_roles(discord.Object(control.EVERYONE)), discord.NotFound, 10011)
    await raises(member.add_roles(discord.Object(control.HIGH_ROLE)), discord.Forbidden, 50013)
    long = await raises(member.edit(nick="x" * 33), discord.HTTPException, 50035)
    assert "In nick: Must be 32 or fewer in length." in long.text, long.text


async def bans(guild):
    user = discord.Object(FIRST_MEMBER + 1)
    await raises(guild.fetch_ban(user), discord.NotFound, 10026)
    await guild.ban(user, reason=REASON, delete_message_seconds=0)
    ban = await guild.fetch_ban(user)
    assert (ban.reason, ban.user.id) == (REASON, user.id)
    await guild.unban(user, reason="appeal")
    await raises(guild.unban(user), discord.NotFound, 10026)
    await raises(guild.ban(discord.Object(control.NOBODY)), discord.NotFound, 10013)


async def channels(guild, member):
    category = await guild.create_category("Tickets")
    everyone = discord.Object(GUILD, type=discord.Role)
    overwrites = {
        everyone: discord.PermissionOverwrite(view_channel=False),
        member: discord.PermissionOverwrite(view_channel=True, send_messages=True),
    }
    made = await guild.create_text_channel(
        "Ticket 1", topic="help", category=category, overwrites=overwrites, reason=REASON
    )
    assert (made.name, made.topic, made.category_id) == ("ticket-1", "help", category.id)
    told = {overwrite.id: overwrite for overwrite in made._overwrites}
    assert (told[GUILD].deny, told[member.id].allow) == (1 << 10, 1 << 10 | 1 << 11)
    assert control.last_reason() == REASON
    assert {channel.id for channel in await guild.fetch_channels()} == {category.id, made.id, guild.id}
    long = await raises(guild.create_text_channel("x", topic="x" * 1025), discord.HTTPException, 50035)
    assert "In topic: Must be 1024 or fewer in length." in long.text, long.text


async def limits(member):
    """Fourteen changes need two windows of the bucket. Then another process uses up the bucket, so the client meets a 429."""
    before = control.stats()
    for n in range(14):
        await (member.add_roles if n % 2 == 0 else member.remove_roles)(discord.Object(ROLES[2]))
    assert control.stats()["member_updates"] - before["member_updates"] == 14
    control.spend_role_bucket(member.id)
    limited = control.stats()["rate_limited"]
    await member.add_roles(discord.Object(ROLES[3]))
    assert str(ROLES[3]) in control.member(member.id)["roles"]
    assert control.stats()["rate_limited"] > limited, "the client met no 429"


async def without_intent(guild):
    control.intent(False)
    await raises(anext(guild.fetch_members(limit=1)), discord.Forbidden, 50001)
    control.intent(True)


async def main():
    await wrong_token()
    async with client() as bot:
        await bot.login("right")
        guild = await bot.fetch_guild(GUILD)
        await reading(bot, guild)
        member = await changes(guild)
        await missing(bot, guild, member)
        await bans(guild)
        await channels(guild, member)
        await without_intent(guild)
        await limits(member)


control.run(main)
