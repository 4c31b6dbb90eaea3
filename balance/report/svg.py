"""Charts as parts of a page: SVG that shares a document with others and speaks to screen readers."""

from __future__ import annotations

import re

from markupsafe import Markup, escape

from balance.charts.chart import Chart
from balance.charts.style import as_svg


def inline_svg(chart: Chart) -> Markup:
    """Return a chart as an <svg> element for a page.

    Its ids start with the chart's name, so that those of several charts never meet; it carries title and
    description; its size is left to the page.
    """
    text = as_svg(chart.figure)
    text = text[text.index("<svg") :]
    text = re.sub(r"<style.*?</style>", "", text, flags=re.DOTALL)  # it would hold for the whole page; see report.css
    text = re.sub(r"<defs>\s*</defs>", "", text)
    prefix = f"chart-{chart.name}-"
    text = re.sub(r'\bid="', f'id="{prefix}', text)
    text = re.sub(r'(xlink:href="#|url\(#)', rf"\g<1>{prefix}", text)
    attributes, _, inside = text.removeprefix("<svg").partition(">")
    view = re.search(r'viewBox="[^"]*"', attributes)
    size = view.group(0) if view else ""
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" {size} role="img" '
        f'aria-labelledby="{prefix}title {prefix}desc">'
        f'<title id="{prefix}title">{escape(chart.title)}</title><desc id="{prefix}desc">{escape(chart.alt)}</desc>'
    )
    return Markup(opening + inside)
