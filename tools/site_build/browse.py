"""Opens a built site in a headless Chromium and looks: console, requests, search, accessibility, keyboard, pictures.

    python tools/site_build/browse.py build/site build/site-screens

From files, as one who has unpacked it, and from a web server. It needs `playwright` with a Chromium that is installed
(`/usr/bin/chromium`, or where CHROMIUM says), and axe-core, which `axe-playwright-python` brings.
"""

from __future__ import annotations

import functools
import http.server
import os
import sys
import threading
from pathlib import Path
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import TimeoutError, sync_playwright

PAGES = {
    "home": "index.html",
    "learn": "learn/tensors.html",
    "operator": "operators/nn/activation/softmax.html",
    "curve": "operators/elementwise/math/tanh.html",
    "reference": "reference/torch.optim.html",
    "inside": "design.html",
    "strides": "_static/tensors-1.html",
}
# What is asked for, and the page that should come first.
QUERIES = {
    "softmax": "operators/nn/activation/softmax.html",
    "Conv2d": "reference/torch.nn-conv.html",
    "conv2d": "operators/nn/convolution/nn.functional.conv2d.html",
    "strides": "learn/tensors.html",
    "vmap": "reference/torch.func.html",
    "AdamW": "reference/torch.optim.html",
    "DataLoader": "reference/torch.utils.data.html",
    "matmul": "operators/linalg/matmul/matmul.html",
    "differences from pytorch": "differences.html",
    "writing an operator": "learn/operator.html",
    "character GPT": "learn/gpt.html",
    "wrong gradient": "learn/wrong_gradients.html",
}
SIZES = {"1280": (1280, 900), "390": (390, 844)}


class Look:
    """One visit, with all that went wrong."""

    def __init__(self, browser: Any, base: str, screens: Path) -> None:
        self.browser, self.base, self.screens, self.wrong = browser, base, screens, []

    def page(self, width: int, height: int, scheme: str = "light") -> Any:
        """A fresh page whose console and requests are watched."""
        page = self.browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme).new_page()
        page.on("console", lambda m: self.console(page, m))
        page.on("pageerror", lambda e: self.wrong.append(f"{page.url}: error: {e}"))
        page.on("request", lambda r: self.request(page, r.url))
        return page

    def console(self, page: Any, message: Any) -> None:
        """Errors, but for the icon that a browser looks for by itself."""
        if message.type == "error" and not message.location["url"].endswith("/favicon.ico"):
            self.wrong.append(f"{page.url}: console: {message.text}")

    def request(self, page: Any, url: str) -> None:
        """Nothing may come from elsewhere."""
        if not url.startswith((self.base, "data:", "blob:", "about:")):
            self.wrong.append(f"{page.url}: asks another host: {url}")

    def screenshots(self, kind: str) -> None:
        """Each page at each size, in the light, and in the dark."""
        for size, (width, height) in SIZES.items():
            for scheme in ("light", "dark"):
                page = self.page(width, height, scheme)
                for name, path in PAGES.items():
                    page.goto(f"{self.base}/{path}")
                    page.screenshot(path=str(self.screens / f"{kind}-{name}-{size}-{scheme}.png"))
                    wide = page.evaluate("document.documentElement.scrollWidth")
                    if wide > width + 1:
                        self.wrong.append(f"{path}: {wide} pixels wide at {width}")
                page.context.close()

    def accessibility(self) -> None:
        """axe-core finds nothing serious."""
        page = self.page(*SIZES["1280"])
        for path in PAGES.values():
            page.goto(f"{self.base}/{path}")
            for violation in Axe().run(page).response["violations"]:
                if violation["impact"] in ("serious", "critical"):
                    nodes = "; ".join(n["html"][:120] for n in violation["nodes"][:3])
                    self.wrong.append(f"{path}: {violation['id']} ({violation['impact']}): {nodes}")
        page.context.close()

    def search(self) -> None:
        """Each query finds first what it should."""
        page = self.page(*SIZES["1280"])
        for query, wanted in QUERIES.items():
            page.goto(f"{self.base}/search.html?q={query.replace(' ', '+')}")
            try:
                page.wait_for_selector("#search-results ul.search li a", timeout=20000)
            except TimeoutError:
                self.wrong.append(f"search {query!r}: nothing is found")
                continue
            page.wait_for_timeout(800)
            found = page.eval_on_selector_all(
                "#search-results ul.search li a", "links => links.slice(0, 5).map(a => a.href)"
            )
            first = found[0].split("#")[0].split("?")[0].removeprefix(f"{self.base}/")
            if first != wanted:
                self.wrong.append(
                    f"search {query!r}: {wanted} should come first; found {[f.removeprefix(self.base) for f in found]}"
                )
        page.context.close()

    def keyboard(self) -> None:
        """The first Tab leads to something that shows that it is reached; the search field can be written to."""
        page = self.page(*SIZES["1280"])
        page.goto(f"{self.base}/index.html")
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement === document.body"):
            self.wrong.append("index.html: Tab reaches nothing")
        page.focus("input.sidebar-search")
        page.keyboard.type("softmax")
        page.keyboard.press("Enter")
        page.wait_for_url("**/search.html?q=softmax*", timeout=10000)
        page.goto(f"{self.base}/{PAGES['strides']}")
        slider = page.locator("input[type=range]").first
        slider.focus()
        before, value = page.inner_text("body"), slider.input_value()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowUp")
        if slider.input_value() == value or page.inner_text("body") == before:
            self.wrong.append("stride page: the arrow keys move no slider")
        button = page.locator("button:enabled").first
        button.focus()
        before = page.inner_text("body")
        page.keyboard.press("Enter")
        if page.inner_text("body") == before:
            self.wrong.append("stride page: Enter presses no button")
        page.context.close()


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A server that does not write a line for each request."""

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing."""


def main() -> None:
    site, screens = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    screens.mkdir(parents=True, exist_ok=True)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    wrong = []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        for kind, base in (("file", site.as_uri()), ("web", f"http://127.0.0.1:{server.server_port}")):
            look = Look(browser, base, screens)
            look.search()
            look.keyboard()
            if kind == "web":
                look.screenshots(kind)
                look.accessibility()
            else:
                page = look.page(*SIZES["1280"])
                for path in PAGES.values():
                    page.goto(f"{base}/{path}")
                page.context.close()
            wrong += [f"{kind}: {w}" for w in look.wrong]
        browser.close()
    server.shutdown()
    print("\n".join(wrong))
    print(
        f"site: {len(PAGES)} pages and {len(QUERIES)} queries looked at from files and from a server; "
        f"{len(wrong)} faults; {screens}"
    )
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
