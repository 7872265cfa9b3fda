# SPDX-License-Identifier: BSD-3-Clause
"""Pages in a real browser: no errors, nothing wider than the window, text that can be read, valid HTML."""

import re
import shutil
import subprocess

import numpy as np
import pytest

from conftest import SMALL, Krica

selenium = pytest.importorskip("selenium.webdriver", reason="python3-selenium is not installed")

PAGES = ["reproduce", "train", "tune", "samples"]

# Labels of plots that lie upon each other: pairs of texts.
OVERLAPS = """
const overlaps = [];
for (const svg of document.querySelectorAll('svg')) {
  const texts = [...svg.querySelectorAll('text')].map(t => [t.getBoundingClientRect(), t.textContent]);
  texts.forEach(([a, first], i) => texts.slice(i + 1).forEach(([b, second]) => {
    const apart = a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
    if (!apart && a.width && b.width) overlaps.push(first + ' | ' + second);
  }));
}
return overlaps;
"""

# Names of options that take more than one line.
BROKEN = """
return [...document.querySelectorAll('.option')].filter(e => e.getClientRects().length > 1).map(e => e.textContent);
"""

# Every text that is shown: its colour against what lies behind it. SVG text is filled.
CONTRAST = """
const linear = v => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; };
const luminance = c => 0.2126 * linear(c[0]) + 0.7152 * linear(c[1]) + 0.0722 * linear(c[2]);
const numbers = text => text.match(/[\\d.]+/g).map(Number);
const ground = e => {
  for (; e; e = e.parentElement) {
    const c = numbers(getComputedStyle(e).backgroundColor);
    if (c.length === 3 || c[3] > 0) return c;
  }
  return [255, 255, 255];
};
let worst = [100, ''];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
let seen = 0;
while (walker.nextNode()) {
  const e = walker.currentNode.parentElement;
  if (!walker.currentNode.data.trim() || e.closest('title')) continue;
  const style = getComputedStyle(e);
  const a = luminance(numbers(e.namespaceURI.endsWith('svg') ? style.fill : style.color));
  const b = luminance(ground(e));
  const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  seen += 1;
  if (ratio < worst[0]) worst = [ratio, walker.currentNode.data];
}
return [worst[0], worst[1], seen];
"""


@pytest.fixture(scope="module")
def browser():
    if not shutil.which("chromium") or not shutil.which("chromedriver"):
        pytest.skip("chromium is not installed")
    options = selenium.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    service = selenium.chrome.service.Service(shutil.which("chromedriver"))
    driver = selenium.Chrome(options=options, service=service)
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def pages(tmp_path_factory, smoke):
    """A page of every command that writes one."""
    directory = tmp_path_factory.mktemp("pages")
    krica = Krica(directory)
    krica("train", "embedded", "-o", "m.krica", "--report", "train.html", "--method", "krica", *SMALL)
    krica("tune", "embedded", "--report", "tune.html", "--method", "random-patches", "--folds", 2,
          "--grid", "gamma=1,3", "--grid", "stride=2,4", *SMALL)
    random = np.random.default_rng(0)
    labels = np.arange(90) % 3
    np.save(directory / "x.npy", (random.normal(size=(90, 6)) + 2 * labels[:, None]).astype(np.float32))
    np.save(directory / "y.npy", labels)
    krica("train", "x.npy", "--labels", "y.npy", "--test-fraction", 0.3, "-o", "s.krica", "--report", "samples.html",
          "--components", 8, "--iterations", 5, "--svm-c", 0.05, "--method", "krica", "--control", "yes")
    names = {name: directory / f"{name}.html" for name in ("train", "tune", "samples")}
    return {"reproduce": smoke[0] / "report.html", **names}


def open_page(browser, path, width, scheme):
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    browser.get(path.as_uri())


@pytest.mark.parametrize("name", PAGES)
def test_page_in_a_browser(browser, pages, name):
    for scheme in ("light", "dark"):
        for width in (400, 800, 1600):
            open_page(browser, pages[name], width, scheme)
            browser.execute_script("document.querySelectorAll('details').forEach(d => d.open = true)")
            inner = browser.execute_script("return [document.documentElement.scrollWidth, window.innerWidth]")
            assert inner[0] <= inner[1] == width, f"{name} is {inner[0]} wide at {width}"
            assert browser.execute_script(BROKEN) == []
            assert browser.execute_script(OVERLAPS) == []
        ratio, text, seen = browser.execute_script(CONTRAST)
        assert seen > 20 and ratio >= 4.5, f"{text!r} has contrast {ratio:.2f} ({scheme})"
    assert browser.get_log("browser") == []


def test_plots_tell_their_values(browser, pages):
    open_page(browser, pages["tune"], 800, "light")
    titles = browser.execute_script("return [...document.querySelectorAll('svg title')].map(t => t.textContent)")
    titles = [title for title in titles if "at gamma" in title]
    assert len(titles) == 4 and all("±" in title for title in titles)
    assert sum("chosen" in title for title in titles) == 1
    labels = browser.execute_script("return [...document.querySelectorAll('svg text')].map(t => t.textContent)")
    assert "gamma" in labels and "accuracy (%)" in labels


def test_contents_link_to_every_section(browser, pages):
    open_page(browser, pages["reproduce"], 800, "light")
    linked = browser.execute_script(
        "return [...document.querySelectorAll('nav a')].map(a => document.querySelector(a.getAttribute('href')).textContent)"
    )
    headings = browser.execute_script("return [...document.querySelectorAll('h2')].map(h => h.textContent)")
    assert linked == headings and headings[0] == "Summary" and len(headings) == 10
    # Beside the text on a wide screen, and it stays there.
    open_page(browser, pages["reproduce"], 1600, "light")
    browser.execute_script("window.scrollTo(0, 5000)")
    nav, main = browser.execute_script(
        "return ['nav', 'main'].map(e => document.querySelector(e).getBoundingClientRect())"
    )
    assert 0 <= nav["left"] and nav["right"] <= main["left"] and 0 <= nav["top"] < 100


def test_train_page_opens_with_its_result(pages):
    page = pages["train"].read_text()
    opening = page[page.index('<p class="result">') : page.index("<main>")]
    assert "krica classifies" in opening and "test images correctly" in opening and "data:image/png" in opening
    assert "stopped at the iteration limit" in page and "iteration-limit" not in page


def test_tune_page_opens_with_the_best_setting(pages):
    page = pages["tune"].read_text()
    opening = page[page.index('<p class="result">') : page.index("<main>")]
    assert "Best setting: " in opening and "<svg" in opening
    settings = page[page.rindex("All settings") : page.rindex("The best setting")]
    assert settings.count('<tr class="marked">') == 1


def test_train_page_shows_the_control_that_was_run(pages):
    page = pages["samples"].read_text()
    assert '<th scope="row">random-patches (control)</th>' in page and "No control was run" not in page
    assert "control" in page[page.index('<p class="result">') : page.index("<main>")]


def test_samples_are_not_called_images(pages):
    page = pages["samples"].read_text()
    assert "test samples" in page
    assert not re.search(r"\bimages?\b", re.sub(r"<[^>]*>|<style>.*?</style>", " ", page.split("<body>")[1]))


def test_train_page_has_everything(pages):
    page = pages["train"].read_text().replace('<span class="option">', "").replace("</span>", "")
    for part in ("No control was run", "Learning curve", "Sparsity (Hoyer)", "Confusion matrix", "Most confident mistakes",
                 "peak memory", "krica train embedded -o m.krica", "Seed 0", "un-whitened, one block per class that they vote for"):
        assert part in page, part


@pytest.mark.parametrize("name", PAGES)
def test_page_is_valid(pages, name):
    if not shutil.which("tidy"):
        pytest.skip("tidy is not installed")
    done = subprocess.run(["tidy", "-e", "-q", "-utf8", pages[name]], capture_output=True, text=True, check=False)
    assert done.stderr == ""
