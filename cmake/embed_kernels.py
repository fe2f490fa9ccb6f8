#!/usr/bin/env python3
"""Embeds the WGSL kernels below a source folder in one C++ file.

A file NAME.wgsl is a kernel; NAME.inc.wgsl is a piece that kernels share. In both, a line

    #include "pixels/pixels.inc.wgsl"

is replaced by that piece, looked for beside the including file, then below SOURCE/ops, then below
SOURCE. A piece enters a kernel once, however many files ask for it. A piece that includes itself,
directly or not, is an error. WGSL is otherwise left alone: it has overrides and needs no macros.

usage: embed_kernels.py SOURCE OUTPUT.cpp [NAMESPACE]

The file defines NAMESPACE::kernel_sources(); the namespace is tessera unless one is given.
"""

import pathlib
import re
import sys

INCLUDE = re.compile(r'\s*#\s*include\b(.*)')
QUOTED = re.compile(r'\s*"([^"]+)"\s*(//.*)?')
# Compilers may refuse longer string literals (MSVC: 16 kB); neighbouring ones are joined.
LONGEST_LITERAL = 8000
DELIMITER = "wgsl"


class KernelError(Exception):
    """One sentence that starts with file:line."""


def find_piece(source, including, name):
    for folder in (including.parent, source / "ops", source):
        candidate = (folder / name).resolve()
        if candidate.is_file():
            return candidate
    return None


def expand(source, path, open_files, done):
    """The lines of `path` with its includes in place."""
    lines = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        directive = INCLUDE.match(line)
        if not directive:
            lines.append(line)
            continue
        where = f"{path}:{number}"
        quoted = QUOTED.fullmatch(directive.group(1))
        if not quoted:
            raise KernelError(f'{where}: write #include "folder/piece.inc.wgsl"')
        name = quoted.group(1)
        if not name.endswith(".inc.wgsl"):
            raise KernelError(f"{where}: {name} is no shared piece: those end in .inc.wgsl")
        piece = find_piece(source, path, name)
        if piece is None:
            raise KernelError(f"{where}: there is no {name} beside this file, in ops/ or in src/")
        if piece in open_files:
            chain = " -> ".join(f.name for f in [*open_files[open_files.index(piece):], piece])
            raise KernelError(f"{where}: {name} includes itself ({chain})")
        if piece not in done:
            done.add(piece)
            lines += expand(source, piece, [*open_files, piece], done)
    return lines


def kernel_name(source, path):
    name = path.relative_to(source).as_posix().removesuffix(".wgsl")
    return name.removeprefix("ops/")


def literals(lines):
    """Raw string literals of bounded length that are split between lines."""
    chunks, size = [[]], 0
    for line in lines:
        if size + len(line) + 1 > LONGEST_LITERAL and chunks[-1]:
            chunks.append([])
            size = 0
        chunks[-1].append(line + "\n")
        size += len(line) + 1
    return "\n".join(f'R"{DELIMITER}({"".join(chunk)}){DELIMITER}"' for chunk in chunks)


def generate(source, namespace):
    kernels = {}
    for path in sorted(source.rglob("*.wgsl")):
        if path.name.endswith(".inc.wgsl"):
            continue
        lines = expand(source, path.resolve(), [path.resolve()], set())
        for line in lines:
            if f"){DELIMITER}\"" in line or len(line) > LONGEST_LITERAL:
                raise KernelError(f"{path}:1: a line can't be embedded: {line[:60]}")
        name = kernel_name(source, path)
        if name in kernels:
            raise KernelError(f"{path}:1: there is another kernel named {name}")
        kernels[name] = literals(lines)

    entries = "".join(
        f'    KernelSource{{"{name}",\n{kernels[name]}}},\n' for name in sorted(kernels))
    return (
        f"// Made by cmake/embed_kernels.py from the .wgsl files below {source.name}/.\n"
        "#include <array>\n\n"
        '#include "graph/kernel_sources.hpp"\n\n'
        f"namespace {namespace} {{\n\n"
        "std::span<const KernelSource> kernel_sources() {\n"
        f"    static constexpr std::array<KernelSource, {len(kernels)}> sources{{\n{entries}    }};\n"
        "    return sources;\n"
        "}\n\n"
        f"}}  // namespace {namespace}\n"
    )


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    source, output = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    namespace = sys.argv[3] if len(sys.argv) == 4 else "tessera"
    try:
        text = generate(source, namespace)
    except KernelError as error:
        sys.exit(str(error))
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
