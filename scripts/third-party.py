#!/usr/bin/env python3
"""The crates that are linked into irkiss, and libz3: names, versions, licences and the texts of these, on standard output."""

import json
import pathlib
import subprocess
import sys

NAMES = ("LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE", "COPYRIGHT")


def linked():
    """The packages that the program is linked from, by name and version."""
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", "x86_64-unknown-linux-gnu"]
    data = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    nodes = {n["id"]: n for n in data["resolve"]["nodes"]}
    left, seen = [data["resolve"]["root"]], set()
    while left:
        at = left.pop()
        if at in seen:
            continue
        seen.add(at)
        for dep in nodes[at]["deps"]:
            # What only tests or build scripts need is not in the program.
            if any(kind["kind"] is None for kind in dep["dep_kinds"]):
                left.append(dep["pkg"])
    packages = [p for p in data["packages"] if p["id"] in seen and p["id"] != data["resolve"]["root"]]
    return sorted(packages, key=lambda p: (p["name"], p["version"]))


def texts(package):
    """The texts of its licences, by file name; also those of what it carries with it."""
    folder = pathlib.Path(package["manifest_path"]).parent
    found = {}
    for file in sorted(folder.rglob("*")):
        if len(file.relative_to(folder).parts) <= 3 and file.is_file() and file.name.upper().startswith(NAMES) and file.suffix not in (".rs", ".py"):
            found[str(file.relative_to(folder))] = file.read_text(errors="replace").strip()
    return found


def main():
    packages = linked()
    print("irkiss is linked with libz3 (lib/irkiss/libz3.so.5.4; https://github.com/Z3Prover/z3, MIT) and these crates:\n")
    for p in packages:
        print(f"  {p['name']} {p['version']}: {p.get('license') or 'see its text'}")
    print("\nTheir licences follow; what several share stands once.")
    printed = {}
    for p in packages:
        for name, text in texts(p).items():
            printed.setdefault(" ".join(text.split()), (text, []))[1].append(f"{p['name']} {p['version']} ({name})")
    for text, of in printed.values():
        print("\n" + "=" * 78)
        print("\n".join(of))
        print("-" * 78)
        print(text)
    print("\n" + "=" * 78 + "\nlibz3\n" + "-" * 78)
    print(pathlib.Path("packaging/LICENSE-Z3").read_text().strip())


if __name__ == "__main__":
    sys.exit(main())
