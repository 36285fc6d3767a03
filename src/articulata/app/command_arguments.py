"""Commands whose signatures are their arguments, read by the standard library.

A parameter with an annotation ``Annotated[type, Option(...)]`` becomes ``--name``, with
``Argument(...)`` a word without a name. Types: str, int, float, Path, bool, a StrEnum (a choice)
and lists or tuples of these; ``| None`` where nothing may be given. A command of many options takes
them as one dataclass, whose fields they are. A wrong use ends with status 2. Completion in a shell
and the manual page are made from the same parsers, so that they say what the commands take.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import is_dataclass
from difflib import get_close_matches
from enum import StrEnum
from inspect import cleandoc, signature
from pathlib import Path
from types import MappingProxyType, NoneType, UnionType
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from articulata.app import console
from articulata.sessions.command_fields import Argument, Option

WRONG_USE = 2
"""Exit status of a wrong use."""


Command = Callable[..., None]

WORDS: dict[Any, str] = {str: "TEXT", int: "INTEGER", float: "NUMBER", Path: "PATH"}
"""What stands for a value in the help."""


class Commands:
    """A program of several commands."""

    def __init__(
        self,
        name: str,
        help: str,
        version: Callable[[], str],
        elsewhere: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """Take none yet; ``elsewhere`` tells of words that are no command what does that."""
        self.name = name
        self.help = help
        self.told_version = version
        self.elsewhere = elsewhere
        self.listed: dict[str, Command] = {}

    def command(self, function: Command) -> Command:
        """Make ``function`` the command of its name."""
        self.listed[function.__name__] = function
        return function

    def run(self, words: Sequence[str] | None = None) -> None:
        """Run the command that ``words`` name (those of the process where None).

        Raises SystemExit for help, the version and wrong use.
        """
        words = list(sys.argv[1:] if words is None else words)
        if words and not words[0].startswith("-"):
            name, *rest = words
            function = self.listed.get(name)
            if function is None:
                near = get_close_matches(name, self.listed, 1)
                hint = f"; did you mean '{near[0]}'?" if near else f", see {self.name} --help"
                hint = f"; {self.elsewhere[name]}" if name in self.elsewhere else hint
                self._parser().error(f"there is no command '{name}'{hint}")
            parser, fields = parser_of(function, f"{self.name} {name}"), _fields(function)
            given = vars(parser.parse_intermixed_args(rest))
            if fields is None:
                function(**given)
            else:
                several = {key: tuple(x) for key, x in given.items() if isinstance(x, list)}
                function(fields(**(given | several)))
            return
        parser = self._parser()
        if not words:
            parser.print_help()
            raise SystemExit(WRONG_USE)
        if parser.parse_args(words).version:
            console.result(self.told_version())

    def _parser(self) -> argparse.ArgumentParser:
        """Return the parser of what stands before a command."""
        width = max(len(name) for name in self.listed)
        listed = [f"  {name:<{width}}  {first_line(f)}" for name, f in self.listed.items()]
        parser = argparse.ArgumentParser(
            self.name,
            f"{self.name} [--help] [--version] COMMAND ...",
            self.help,
            "\n".join(["commands:", *listed, "", f"{self.name} COMMAND --help says more."]),
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        parser.add_argument("--version", action="store_true", help="Show the version.")
        return parser


def first_line(function: Command) -> str:
    """Return the first line of a command's description."""
    return cleandoc(function.__doc__ or "").splitlines()[0]


def parser_of(function: Command, program: str) -> argparse.ArgumentParser:
    """Return the parser of a command's arguments."""
    parser = argparse.ArgumentParser(
        program, description=cleandoc(function.__doc__ or ""), allow_abbrev=False
    )
    fields = _fields(function) or function
    known = signature(fields).parameters.values()
    defaults = {each.name: each.default for each in known if each.default is not each.empty}
    for name, hint in get_type_hints(fields, include_extras=True).items():
        if get_origin(hint) is Annotated:
            kind, what = get_args(hint)
            _add(parser, name, kind, what, defaults)
    return parser


def _fields(function: Command) -> type[Any] | None:
    """Return the dataclass that holds all options of a command, where it takes them as one."""
    found = next(iter(get_type_hints(function).values()), None)
    return found if isinstance(found, type) and is_dataclass(found) else None


def _add(
    parser: argparse.ArgumentParser,
    name: str,
    kind: Any,
    what: Option | Argument,
    defaults: dict[str, Any],
) -> None:
    """Add one argument or option."""
    kind, several = _plain(kind)
    more: dict[str, Any] = {"help": _shown(what.help, defaults.get(name)), "metavar": what.metavar}
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        more["metavar"] = what.metavar or "|".join(kind)
        kind = _chooser(kind)
    if isinstance(what, Argument):
        if several:
            more["nargs"] = "*" if name in defaults else "+"
        elif name in defaults:
            more |= {"nargs": "?", "default": defaults[name]}
        more["metavar"] = what.metavar or name.upper()
        parser.add_argument(name, type=kind, **more)
        return
    names = what.names.split("/") if what.names else [f"--{name.replace('_', '-')}"]
    if kind is bool:
        switches = parser.add_mutually_exclusive_group()
        for value, switch in zip((True, False), names, strict=False):
            action = "store_true" if value else "store_false"
            told = more["help"] if value else f"The opposite of {names[0]}."
            switches.add_argument(
                switch, dest=name, action=action, default=defaults[name], help=told
            )
        return
    more |= {"dest": name, "default": defaults.get(name), "required": name not in defaults}
    more["metavar"] = more["metavar"] or WORDS.get(kind, "VALUE")
    if several:
        more |= {
            "action": "append",
            "default": None if more["default"] is None else [*more["default"]],
        }
    parser.add_argument(*names, type=kind, **more)


def _chooser(kind: type[StrEnum]) -> Callable[[str], StrEnum]:
    """Return what turns a word into a choice."""

    def chosen(word: str) -> StrEnum:
        if word not in list(kind):
            raise argparse.ArgumentTypeError(f"'{word}' is none of {', '.join(kind)}")
        return kind(word)

    return chosen


def _plain(kind: Any) -> tuple[Any, bool]:
    """Return a type without ``| None`` or what holds several, and whether there are several."""
    if get_origin(kind) is UnionType:
        (kind,) = (each for each in get_args(kind) if each is not NoneType)
    if get_origin(kind) in (list, tuple):
        return get_args(kind)[0], True
    return kind, False


def _shown(help: str, default: Any) -> str:
    """Return a help text with the default, where it says something; "%" is argparse's own."""
    text = help.replace("%", "%%")
    if default in (None, "", False, True, Path()) or isinstance(default, tuple):
        return text
    return f"{text} [{default}]"


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
        said = cleandoc(function.__doc__ or "").split("\n\n")
        parts += [f".SS {_roff(name)}", *(f"{_roff(each)}\n.PP" for each in said)]
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
