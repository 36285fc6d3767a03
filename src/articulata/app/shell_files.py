"""What a shell and ``man`` are told of the commands: completion and the manual page.

Both are made from the commands' own parsers, so that they say what the commands take.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from enum import StrEnum
from inspect import cleandoc

from articulata.app.command_arguments import Command, Commands, first_line, parser_of


class Shell(StrEnum):
    """A shell that completes words."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


def completion(app: Commands, shell: Shell) -> str:
    """Return what makes a shell complete the commands, their options and file names."""
    name, commands = app.name, app.listed
    if shell is Shell.FISH:
        return _fish(name, commands)
    cases = "\n".join(
        f"    {each}) words='{' '.join(word for action in _options(f) for word in action[0])}' ;;"
        for each, f in commands.items()
    )
    begun = "autoload -U +X bashcompinit && bashcompinit\n"
    return f"""{begun if shell is Shell.ZSH else ""}_{name}() {{
  local words='' current="${{COMP_WORDS[COMP_CWORD]}}"
  if [ "$COMP_CWORD" = 1 ]; then
    COMPREPLY=($(compgen -W '{" ".join(commands)} --help --version' -- "$current"))
    return
  fi
  case "${{COMP_WORDS[1]}}" in
{cases}
  esac
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
    *) COMPREPLY=($(compgen -f -- "$current")) ;;
  esac
}}
complete -o filenames -F _{name} {name}
"""


def _fish(name: str, commands: Mapping[str, Command]) -> str:
    first = f"complete -c {name} -n __fish_use_subcommand -f"
    lines = [f"{first} -l help", f"{first} -l version"]
    for each, function in commands.items():
        lines.append(f"{first} -a {each} -d {_quoted(first_line(function))}")
        within = f'complete -c {name} -n "__fish_seen_subcommand_from {each}"'
        for words, takes, help in _options(function):
            names = " ".join(
                f"-l {word[2:]}" if word.startswith("--") else f"-s {word[1:]}" for word in words
            )
            needs = " -r" if takes else ""
            lines.append(f"{within} {names}{needs} -d {_quoted(help)}")
    return "\n".join(lines) + "\n"


def manual(app: Commands) -> str:
    """Return the manual page in roff, as ``man -l`` reads it."""
    parts = [
        f'.TH {app.name.upper()} 1 "" "{_roff(app.told_version())}"',
        f".SH NAME\n{app.name} \\- {_roff(app.help)}",
        f".SH SYNOPSIS\n.B {app.name}\n.I COMMAND\n[arguments]",
        ".SH COMMANDS",
    ]
    for name, function in app.listed.items():
        parser = parser_of(function, f"{app.name} {name}")
        usage = " ".join(parser.format_usage().removeprefix("usage: ").split())
        parts.append(f".SS {_roff(name)}\n{_roff(cleandoc(function.__doc__ or ''))}\n.PP")
        parts.append(f"\\fB{_roff(usage)}\\fR")
        for action in _actions(parser):
            words = ", ".join(action.option_strings) or str(action.metavar or action.dest)
            takes = f" {action.metavar}" if action.option_strings and action.metavar else ""
            parts.append(f".TP\n\\fB{_roff(words)}\\fR{_roff(takes)}\n{_roff(_help(action))}")
    parts.append(
        ".SH EXIT STATUS\n0 done, 1 an error that is explained, 2 a wrong use, 130 interrupted."
    )
    return "\n".join(parts) + "\n"


def _options(function: Command) -> list[tuple[list[str], bool, str]]:
    """Return the words of each option, whether a value follows, and its help."""
    return [
        (list(action.option_strings), action.nargs != 0, _help(action))
        for action in _actions(parser_of(function, ""))
        if action.option_strings
    ]


def _actions(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    return [each for each in parser._actions if each.help != argparse.SUPPRESS]


def _help(action: argparse.Action) -> str:
    return (action.help or "").replace("%%", "%")


def _quoted(text: str) -> str:
    """Return a text as one word of fish, in single quotes."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _roff(text: str) -> str:
    """Return a text as roff prints it: no escapes, no requests at the start of a line."""
    lines = text.replace("\\", "\\e").replace("-", "\\-").split("\n")
    return "\n".join(f"\\&{line}" if line.startswith((".", "'")) else line for line in lines)
