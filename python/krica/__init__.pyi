# SPDX-License-Identifier: BSD-3-Clause
from . import datasets as datasets
from ._core import __version__ as __version__
from ._files import load as load
from ._images import MaxMarginKRICA as MaxMarginKRICA
from ._images import PatchFeatures as PatchFeatures
from ._objectives import objective as objective
from ._objectives import rica_objective as rica_objective
from ._plot import plot_components as plot_components
from ._recipes import recipe as recipe
from ._samples import ICA as ICA
from ._samples import KICA as KICA
from ._samples import KSR as KSR
from ._samples import RICA as RICA
from ._samples import KernelRICA as KernelRICA
from ._samples import LLC as LLC
from ._samples import KMeansFeatures as KMeansFeatures
from ._samples import SparseFiltering as SparseFiltering
