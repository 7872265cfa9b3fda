# SPDX-License-Identifier: BSD-3-Clause
"""From images to features, a classifier and pictures of what was learned, on the built-in data set.

Run it as a script, or cell by cell in an editor that supports `# %%`:

    PYTHONPATH=build/release/python python3 examples/learn_features.py pictures
"""

# %% The data: images of clothing, 28 x 28 bytes each
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

import krica

target = Path(sys.argv[1] if len(sys.argv) > 1 else "pictures")
target.mkdir(exist_ok=True)
images = krica.datasets.load_embedded()
print(images.DESCR, images.data.shape, "to learn from,", images.test_data.shape, "to test on")


def keep(name):
    plt.savefig(target / name, dpi=120, bbox_inches="tight")
    plt.close()
    print(target / name)


# %% Features without labels: atoms of patches, by kernel RICA and by RICA
small = {"n_components": 64, "patches": 10000, "iterations": 30}
for method in ("krica", "rica"):
    features = krica.PatchFeatures(method=method, **small).fit(images.data)
    krica.plot_components(features).set_title(f"{method}: {features.status_} after {features.n_iter_} iterations")
    keep(f"{method}_atoms.png")

# %% The objective over the iterations
plt.semilogy(features.history_["iteration"], features.history_["value"])
plt.xlabel("iteration")
plt.ylabel("objective of RICA")
keep("rica_history.png")

# %% Atoms and classifier together, from labelled images
classifier = krica.MaxMarginKRICA(n_components=64, patches=10000, stride=2, epochs=5)
classifier.fit(images.data, images.target)
print(f"test accuracy {classifier.score(images.test_data, images.test_target):.3f}")
krica.plot_components(classifier)
keep("max_margin_atoms.png")

# %% Which parts of an image support its class
shown = images.test_data[:6]
votes = classifier.explain(shown)
figure, axes = plt.subplots(2, len(shown), figsize=(2 * len(shown), 4))
for column, (image, vote, label) in enumerate(zip(shown, votes, classifier.predict(shown))):
    axes[0, column].imshow(image, cmap="gray")
    axes[0, column].set_title(images.target_names[label], fontsize=8)
    axes[1, column].imshow(vote, cmap="coolwarm", vmin=-abs(votes).max(), vmax=abs(votes).max())
for axis in axes.flat:
    axis.set_axis_off()
keep("votes.png")

# %% The model file is the same as that of the command `krica`
classifier.save(target / "clothes.krica")
print(target / "clothes.krica", krica.load(target / "clothes.krica").components_.shape)
