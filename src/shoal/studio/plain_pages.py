"""Pages without scripts that need no session: signing in, an address that is no longer that of a studio, and no page.

They are whole documents: whoever sees them may load nothing else from the studio.
"""

from __future__ import annotations

import html

from shoal.studio.project import SCRATCH

_STYLE = (
    ":root{color-scheme:light dark;--ground:#f4f7f8;--sheet:#fff;--ink:#14242b;--soft:#4d6069;--line:#b7c6cd;"
    "--sea:#0b6e8a;--on-sea:#fff}"
    "@media(prefers-color-scheme:dark){:root{--ground:#0e171b;--sheet:#152127;--ink:#e6eef1;--soft:#a3b5bd;"
    "--line:#44565f;--sea:#5cc0de;--on-sea:#06222c}}"
    "body{font:16px/1.55 system-ui,sans-serif;background:var(--ground);color:var(--ink);margin:0;padding:12vh 1rem}"
    "main{max-width:34rem;margin:auto;padding:1.6rem 1.8rem;background:var(--sheet);border:1px solid var(--line);"
    "border-radius:.8rem}"
    ".brand{color:var(--sea);font-weight:680;margin:0}h1{font-size:1.5rem;line-height:1.2;margin:.3rem 0 1rem}"
    "p{margin:0 0 1rem}.soft{color:var(--soft);font-size:.92rem;margin:1rem 0 0}label{display:block;font-weight:600}"
    "form div{display:flex;gap:.6rem;flex-wrap:wrap;margin-top:.3rem}"
    "input{flex:1 1 14rem;font:inherit;color:inherit;background:var(--ground);border:1px solid var(--line);"
    "border-radius:.55rem;padding:.45rem .7rem}"
    "button{font:inherit;font-weight:600;color:var(--on-sea);background:var(--sea);border:0;border-radius:.55rem;"
    "padding:.5rem 1.2rem;cursor:pointer}a{color:var(--sea)}:focus-visible{outline:3px solid var(--sea);"
    "outline-offset:2px}code{font-family:ui-monospace,monospace;font-size:.92em;overflow-wrap:anywhere}"
)
_TOKEN = (
    '<form method="post" action="/login"><label for="token">Token</label><div>'
    '<input id="token" name="token" type="password" autocomplete="off"><button>Open the studio</button></div></form>'
    '<p class="soft">The token is the password of this studio. If you started it yourself, the token is in the file '
    f"<code>{SCRATCH}/token</code> of the project's folder, until the studio ends, or in the file that you gave with "
    "<code>--token-file</code>. Otherwise, ask the person who started it. Without the token: end the studio with "
    "Ctrl-C, start it again, and open the link that it prints.</p>"
)


def _page(title: str, content: str, head: str = "") -> str:
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Shoal studio</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'{head}<style>{_STYLE}</style></head><body><main><p class="brand">Shoal studio</p>'
        f"<h1>{html.escape(title)}</h1>{content}</main></body></html>"
    )


def sign_in(sentence: str) -> str:
    """Asks for the token, and says where it is found."""
    # without this policy, browsers would send the form without its origin
    head = '<meta name="referrer" content="same-origin">'
    return _page("Sign in", f"<p>{html.escape(sentence)}</p>{_TOKEN}", head)


def go_on() -> str:
    """Leads to the studio.

    It stands in for a redirection: browsers send no strict cookie with one that another site began.
    """
    head = '<meta http-equiv="refresh" content="0;url=/">'
    return _page("Welcome", '<p><a href="/">Open the studio</a></p>', head)


def other_address() -> str:
    """Says that the studio is no longer at this address."""
    return _page(
        "The studio has another address now",
        "<p>It was probably restarted: whenever a studio starts, it has an address of its own. Open the link that "
        "<code>shoal studio</code> printed last, and close this tab.</p>"
        '<p class="soft">The project is as you left it. A run that was going on when the studio ended is marked as '
        "interrupted, and can be run again.</p>",
    )


def missing() -> str:
    """Says that there is no such page."""
    return _page(
        "There is no such page",
        '<p>The address is not one of this studio\'s pages.</p><p><a href="/">Go to the first step</a></p>',
    )
