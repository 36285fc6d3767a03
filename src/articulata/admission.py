"""Who may talk to a server of ours: our own pages and programs, not those of other sites.

A page of any site that is open in the same browser can send requests to this machine, and a name
of any site can be made to point here (DNS rebinding). A browser tells both: ``Host`` is the name
that the address had, ``Origin`` the site whose page asks, ``Sec-Fetch-Site`` whether that is
another one. Programs that are no browser send no ``Origin``. Every server asks ``refusal`` about
every request before it answers. References: RFC 6454 (origins), RFC 9110 section 7.2 (Host), W3C
Fetch Metadata.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence

LOCAL = ("localhost", "127.0.0.1", "::1")
"""Names under which a server on this machine is asked by its own user."""

ANY = ("0.0.0.0", "::", "")
"""Addresses that mean every interface of a machine."""

_OWN_SITES = ("same-origin", "none")


def refusal(headers: Sequence[tuple[str, str]], bound: str = "127.0.0.1") -> str:
    """Return why a request with ``headers`` (name, value) is refused, empty where it is not.

    ``bound`` is the name or address that the server listens at. ``Host`` has to be that or a name
    of this machine; a server that listens everywhere takes any address written as a number, which
    no name can be made to stand for. The port is left open, so that a forwarded port works:
    ``Origin`` has to name the same one as ``Host``.
    """
    hosts, origins, sites, targets = (
        [value.strip() for name, value in headers if name.lower() == wanted]
        for wanted in ("host", "origin", "sec-fetch-site", "sec-fetch-dest")
    )
    if len(hosts) != 1 or len(origins) > 1:
        return "a request names one Host and at most one Origin"
    name = _name(hosts[0])
    if name is None or not _is_ours(name, bound.lower()):
        return (
            f"Host {hosts[0]!r} is not the address of this server; open the address that was"
            " printed when it started"
        )
    if origins and origins[0].lower() not in (f"{way}://{hosts[0].lower()}" for way in _WAYS):
        return f"pages of {origins[0]!r} may not talk to this server; only its own pages may"
    if any(site not in _OWN_SITES for site in sites) and targets != ["document"]:
        return "another site's page may link to this server, not take anything from it"
    return ""


_WAYS = ("http", "https")


def _name(host: str) -> str | None:
    """Return the name in "name:port", "[address]:port" or either without port, else None."""
    if host.startswith("["):
        name, bracket, port = host[1:].partition("]")
        if not bracket or (port and not port.startswith(":")):
            return None
        port = port[1:]
    else:
        name, _, port = host.partition(":")
    if port and not (port.isascii() and port.isdigit()):
        return None
    return name.lower()


def _is_ours(name: str, bound: str) -> bool:
    if name in LOCAL or (name == bound and bound not in ANY):
        return True
    if bound not in ANY:
        return False
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
