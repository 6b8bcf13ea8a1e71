#!/usr/bin/env python3
"""tests/man_page.py MTF: the man page names the commands with their options as help does, and what src/tool reads of the environment."""
import pathlib
import re
import subprocess
import sys

top = pathlib.Path(__file__).parent.parent
page = re.sub(r"\\f[BIR]|\\&", "", (top / "src/package/mtf.1").read_text()).replace("\\-", "-").replace("\\e", "\\")
wrong = []


def help_of(*command):
    return subprocess.run([sys.argv[1], *command, "--help"], capture_output=True, text=True, check=True).stdout


def compare(what, expected, found):
    if expected != found:
        wrong.append(f"{what}: the program has {expected}, the man page {found}")


def section(name, mark="SH"):
    return re.search(rf"^\.{mark} {re.escape(name)}\n(.*?)(?=^\.S[HS] |\Z)", page + "\n", re.M | re.S)[1]


def options(text):
    """Each option with what it takes and what is said of it."""
    block = text.split("Options:\n")[1].split("\n\n")[0] + "\n  "
    found = re.findall(r"^  (-\S.*?)  +(\S.*?)(?=^  \S|\Z|^  $)", block, re.M | re.S)
    return {name: " ".join(said.split()) for name, said in found if name != "-h,--help"}


overview = help_of()
commands = re.findall(r"^  ([a-z]+) ", overview.split("Commands:\n")[1].split("\n\n")[0], re.M)
compare("the commands", commands, re.findall(r"^\.SS (\S+)", page, re.M))
for command in commands:
    compare(command, options(help_of(command)), dict(re.findall(r"^\.TP\n(-.*)\n(.*)", section(command, "SS"), re.M)))
missing = set(re.findall(r"--[a-z]+", overview)) - set(re.findall(r"^(--[a-z]+)", section("OPTIONS OF THE PROMPT"), re.M))
compare("options of the prompt that are missing", set(), missing)
statuses = re.findall(r"(\d+) ([^,.]+)", " ".join(re.search(r"Exit status: (.*?)\.", overview, re.S)[1].split()))
compare("exit statuses", statuses, re.findall(r"^\.B (\d+)\n(.*)", section("EXIT STATUS"), re.M))
sources = "".join(path.read_text() for path in (top / "src").rglob("*.cpp"))
variables = set(re.findall(r'getenv\("([A-Z_]+)"\)', sources))
compare("the environment", sorted(variables), sorted(re.findall(r"^\.B ([A-Z_]+)$", section("ENVIRONMENT"), re.M)))
print(*wrong, sep="\n")
sys.exit(bool(wrong))
