# SPDX-License-Identifier: BSD-3-Clause
"""Somebody with folders of photographs."""

import csv
import io
import shutil

import numpy as np
import pytest
from conftest import KINDS, photograph, write_png


def test_one_command_trains_and_says_what_it_chose_and_how_good_it_is(home):
    printed = home.printed
    assert "96 images of" in printed and "24 held out for testing" in printed
    assert "method " in printed and "receptive-field" in printed
    assert "components" not in printed.split("photos.krica:")[0], "components were given"
    assert "test accuracy" in printed and ("control:" in printed or "random-patches with" in printed)
    options = home.json("info", "photos.krica")["options"]
    assert options["components"] == 64 and options["method"] != "auto"


def test_evaluate_takes_the_images_that_were_held_out(home):
    result = home.json("evaluate", "photos.krica", "photos")
    assert result["images"] == 24 and result["seen_in_training"] == 0
    accuracy = float(home.printed.split("test accuracy ")[1].split(" %")[0]) / 100
    assert result["accuracy"] == pytest.approx(accuracy, abs=1e-4)
    done = home.run("evaluate", "photos.krica", "photos", "--test-fraction", 0.9)
    assert "the model was trained on" in done.stderr, "training images are not scored silently"


def test_classes_are_matched_by_name(home, krica):
    shutil.copytree(home.directory / "photos" / "stripes", krica.directory / "few" / "stripes")
    shutil.copytree(home.directory / "photos" / "rings", krica.directory / "few" / "rings")
    result = krica.json("evaluate", home.directory / "photos.krica", "few")
    assert result["accuracy"] > 0.6 and result["per_class"][0] is None, "checks are not there"
    shutil.copytree(home.directory / "photos" / "checks", krica.directory / "few" / "zebras")
    message = krica.error("evaluate", home.directory / "photos.krica", "few", code=3)
    assert "zebras" in message and "--ignore-unknown" in message and "stripes" in message
    again = krica.json("evaluate", home.directory / "photos.krica", "few", "--ignore-unknown")
    assert again["ignored"] > 0 and again["accuracy"] == result["accuracy"]


def test_the_size_rule_belongs_to_the_model(krica):
    random = np.random.default_rng(3)
    for kind in KINDS:
        for i in range(20):
            write_png(krica.directory / "wide" / kind / f"{i}.png", photograph(kind, random, 40, 80))
    krica("train", "wide", "-o", "m.krica", "--image-size", 24, "--image-size-rule", "shorter", "--components", 32,
          "--patches", 2000)
    picture = krica.directory / "wide" / "rings" / "0.png"
    alone = krica.json("predict", "m.krica", picture)["images"][0]["predictions"]
    shutil.copytree(krica.directory / "wide", krica.directory / "cropped")
    for kind in KINDS:
        for path in (krica.directory / "cropped" / kind).iterdir():
            path.unlink()
    random = np.random.default_rng(3)
    for kind in KINDS:
        for i in range(20):
            pixels = photograph(kind, random, 40, 80)[:, 20:60]
            write_png(krica.directory / "cropped" / kind / f"{i}.png", pixels)
    cropped = krica.json("predict", "m.krica", krica.directory / "cropped" / "rings" / "0.png")["images"][0]["predictions"]
    assert [p["class"] for p in alone] == [p["class"] for p in cropped]
    assert [p["score"] for p in alone] == pytest.approx([p["score"] for p in cropped], abs=0.05)
    krica("evaluate", "m.krica", "wide")  # no --image-size again


def test_predict_takes_files_folders_and_bad_ones(home, krica):
    photos = sorted((home.directory / "photos" / "rings").iterdir())[:3]
    bad = krica.directory / "broken.png"
    bad.write_bytes(photos[0].read_bytes()[:300])
    done = krica.run("predict", home.directory / "photos.krica", *photos, bad, "--csv", code=3)
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert len(rows) == 3 and all(row["class"] in KINDS for row in rows)
    assert all(0 <= float(row["probability"]) <= 1 for row in rows)
    assert "broken.png" in done.stderr and done.stderr.count("broken.png") == 1
    folder = krica.json("predict", home.directory / "photos.krica", home.directory / "photos" / "rings")
    assert len(folder["images"]) == 40


def test_an_explanation_is_a_picture_one_can_look_at(home, krica):
    krica("predict", home.directory / "photos.krica", home.directory / "photos" / "rings" / "00.png", "--explain", "why.png")
    width, height = np.frombuffer((krica.directory / "why.png").read_bytes()[16:24], ">u4")
    assert width >= 256 and height >= 256


def test_files_that_are_skipped_are_named(home, krica):
    for kind in KINDS[:2]:
        shutil.copytree(home.directory / "photos" / kind, krica.directory / "mixed" / kind)
    (krica.directory / "mixed" / "rings" / "a.heic").write_bytes(b"\0\0\0\x18ftypheic" + bytes(50))
    (krica.directory / "mixed" / "rings" / "b.heic").write_bytes(b"\0\0\0\x18ftypheic" + bytes(50))
    done = krica.run("info", "mixed")
    assert "skipped 2 files" in done.stderr and "2 .heic" in done.stderr


def test_unreadable_files_are_listed_and_can_be_skipped(home, krica):
    for kind in KINDS[:2]:
        shutil.copytree(home.directory / "photos" / kind, krica.directory / "set" / kind)
    for name in ("x.png", "y.png"):
        (krica.directory / "set" / "rings" / name).write_bytes((home.directory / "photos/rings/00.png").read_bytes()[:20])
    small = ["--components", 16, "--patches", 1000, "-o", "m.krica"]
    message = krica.error("train", "set", *small, code=3)
    assert "x.png" in message and "y.png" in message and "--skip-bad" in message
    krica("train", "set", *small, "--skip-bad")


def test_outputs_that_cannot_be_written_are_found_before_the_work(home):
    for arguments in (
        ["train", "photos", "-o", "nowhere/m.krica"],
        ["demo", "-o", "nowhere/report.html"],
        ["predict", "photos.krica", "photos", "-o", "nowhere/out.csv"],
        ["encode", "photos.krica", "photos", "-o", "nowhere/out.npy"],
        ["show", "photos.krica", "-o", "nowhere/out.png"],
    ):
        assert "nowhere" in home.error(*arguments, code=4)


def test_show_in_the_terminal_is_text_or_json(home):
    assert home("show", "photos.krica", "--terminal")
    home.error("show", "photos.krica", "--terminal", "--json", code=2)


def test_no_claims_where_nothing_is_left_to_gain(krica):
    random = np.random.default_rng(5)
    for name, light in (("dark", 40), ("bright", 200)):
        for i in range(30):
            pixels = (light + 20 * random.normal(size=(16, 16))).clip(0, 255)
            pixels[:, : 8 if light > 100 else 2] = 0
            write_png(krica.directory / "easy" / name / f"{i}.png", pixels)
    printed = krica("train", "easy", "-o", "m.krica", "--method", "raw-pixels")
    assert "test accuracy 100.00 %" in printed
    assert "would choose" not in printed and "should do better" not in printed
