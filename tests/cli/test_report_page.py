# SPDX-License-Identifier: BSD-3-Clause
"""Pages in a real browser: no errors, nothing wider than the window, text that can be read, valid HTML."""

import shutil
import subprocess

import pytest

from conftest import SMALL, Krica

selenium = pytest.importorskip("selenium.webdriver", reason="python3-selenium is not installed")

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
    krica("train", "embedded", "-o", "m.krica", "--report", "train.html", *SMALL)
    krica("tune", "embedded", "--report", "tune.html", "--method", "random-patches", "--folds", 2,
          "--grid", "gamma=1,3", "--grid", "stride=2,4", *SMALL)
    return {"reproduce": smoke[0] / "report.html", "train": directory / "train.html", "tune": directory / "tune.html"}


def open_page(browser, path, width, scheme):
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    browser.get(path.as_uri())


@pytest.mark.parametrize("name", ["reproduce", "train", "tune"])
def test_page_in_a_browser(browser, pages, name):
    for scheme in ("light", "dark"):
        for width in (400, 800, 1600):
            open_page(browser, pages[name], width, scheme)
            browser.execute_script("document.querySelectorAll('details').forEach(d => d.open = true)")
            inner = browser.execute_script("return [document.documentElement.scrollWidth, window.innerWidth]")
            assert inner[0] <= inner[1] == width, f"{name} is {inner[0]} wide at {width}"
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


def test_train_page_has_everything(pages):
    page = pages["train"].read_text()
    for part in ("No control was run", "Learning curve", "Sparsity (Hoyer)", "Confusion matrix", "Most confident mistakes",
                 "peak memory", "krica train embedded -o m.krica", "Seed 0", "un-whitened, by the class they vote for"):
        assert part in page, part


@pytest.mark.parametrize("name", ["reproduce", "train", "tune"])
def test_page_is_valid(pages, name):
    if not shutil.which("tidy"):
        pytest.skip("tidy is not installed")
    done = subprocess.run(["tidy", "-e", "-q", "-utf8", pages[name]], capture_output=True, text=True, check=False)
    assert done.stderr == ""
