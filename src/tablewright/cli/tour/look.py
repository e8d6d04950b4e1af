"""How the tour looks: headings, tables, code and results, in colour, in plain text, at any width."""

from __future__ import annotations

from rich import box
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.syntax import Syntax
from rich.table import Table as Grid
from rich.text import Text

WIDEST = 110
"""Longer lines are not easier to read."""

_NARROW = 78
"""Below this, two lists of keys do not fit next to each other."""


class Look:
    """Prints the tour. Plain means no colours, and nothing beyond ASCII but what the data holds."""

    def __init__(self, *, plain: bool = False) -> None:
        terminal = Console()
        self.plain = plain or not terminal.encoding.lower().startswith("utf")
        self.console = Console(
            highlight=False,
            emoji=False,
            markup=False,
            width=min(terminal.width, WIDEST),
            color_system=None if self.plain else "auto",
        )
        self.box = box.ASCII if self.plain else box.ROUNDED
        self.arrow = "->" if self.plain else "→"
        self._chapter = 0

    def show(self, *renderables: RenderableType) -> None:
        """Anything that rich can print."""
        self.console.print(*renderables, sep="\n")

    def chapter(self, title: str) -> None:
        """A numbered heading."""
        self._chapter += 1
        heading = Text(f"{self._chapter}. {title}", "bold cyan")
        self.show("")
        self.console.rule(heading, align="left", characters="-" if self.plain else "─", style="cyan")

    def say(self, *parts: str | tuple[str, str]) -> None:
        """A short paragraph; a part may carry a style."""
        self.show(Padding(Text.assemble(*parts), (0, 1), expand=False))

    def code(self, source: str, *, below: int = 1) -> None:
        """Python, as it stands in a file, with empty lines around it."""
        text: RenderableType = Text(source)
        if not self.plain:
            text = Syntax(source, "python", theme="ansi_dark", background_color="default", word_wrap=True)
        self.show(Padding(text, (1, 3, below, 3), expand=False))

    def grid(self, *columns: str, right: str | None = None) -> Grid:
        """An empty table; the column `right` is aligned to the right."""
        grid = Grid(box=self.box, border_style="dim", header_style="bold", expand=True)
        for name in columns:
            grid.add_column(name, justify="right" if name == right else "left", overflow="fold")
        return grid

    def panel(self, content: RenderableType, *, title: str | None = None, style: str = "none") -> Panel:
        """Something with a frame around it."""
        heading = Text(title) if title else None
        return Panel(content, title=heading, title_align="left", box=self.box, border_style=style)

    def side_by_side(self, *lists: tuple[str, list[Text]]) -> None:
        """Lists with titles, next to each other where there is room."""
        panels = [self.panel(Group(*(lines or [Text("(empty)", "dim")])), title=title) for title, lines in lists]
        if self.console.width < _NARROW:
            self.show(*panels)
            return
        row = Grid.grid(expand=True)
        for _ in panels:
            row.add_column(ratio=1)
        row.add_row(*panels)
        self.show(row)
