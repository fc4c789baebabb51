"""rblx-open-cloud against the simulator's game platform."""

import requests
import rblxopencloud

import control

GROUP, FIRST_PLAYER, RANKS, PLAYERS = 5_000, 10_000, 30, 250


class Elsewhere(requests.adapters.HTTPAdapter):
    """The client's host is fixed: its requests go to the simulator."""

    def send(self, request, **options):
        request.url = request.url.replace("https://apis.roblox.com", control.URL)
        return super().send(request, **options)


def raised(kind, work):
    try:
        work()
    except kind as error:
        return error
    raise AssertionError(f"no {kind.__name__}")


rblxopencloud.http_session.mount("https://apis.roblox.com", Elsewhere())
group = rblxopencloud.Group(GROUP, "right")
roles = list(group.list_roles())
assert [role.rank for role in roles] == list(range(1, RANKS + 1)), roles
members = list(group.list_members())
assert len({member.id for member in members}) == PLAYERS
member = group.fetch_member(FIRST_PLAYER + 4)
assert (member.role_id, member.fetch_role().rank) == (105, 5)
assert group.fetch_member(FIRST_PLAYER - 1) is None
assert len(list(group.list_members(role_id=101))) == 9

refused = raised(rblxopencloud.HttpException, lambda: list(rblxopencloud.Group(GROUP, "wrong").list_roles()))
assert (refused.status_code, refused.error_code, refused.message) == (401, 0, "Invalid API Key"), refused
raised(rblxopencloud.NotFound, lambda: list(rblxopencloud.Group(GROUP + 1, "right").list_roles()))


def until_limited():
    while True:
        status, _, headers = rblxopencloud.send_request("GET", f"/groups/{GROUP}/roles", authorization="right")
        if status == 429:
            return headers


headers = until_limited()
assert headers["x-ratelimit-limit"] == "300, 300;w=60" and headers["x-ratelimit-remaining"] == "0", headers
assert 0 < int(headers["x-ratelimit-reset"]) <= 60 and 0 < int(headers["retry-after"]) <= 60, headers
raised(rblxopencloud.RateLimited, lambda: list(group.list_roles()))
