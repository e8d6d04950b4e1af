"""Pictures as PNG, where the extra that turns SVG into it is installed."""

from __future__ import annotations

from tablewright.errors import not_installed


def as_png(svg: str, *, zoom: int = 2) -> bytes:
    """A picture as PNG, so many times as large as its SVG says."""
    try:
        import resvg_py
    except ImportError:
        raise not_installed(
            "A picture as PNG needs a package that is not installed; one as SVG, in a file that ends so, needs none.",
            "png",
        ) from None
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=zoom))
