# SPDX-License-Identifier: BSD-3-Clause
"""The same loops as one would write them with NumPy, PyTorch, scikit-learn and faiss, tuned as ours was: batches and
blocks are of the sizes that ran fastest here."""
import numpy as np

CONTRAST_EPSILON = 10.0


def _halves(positions):
    """The quadrants' borders along an axis."""
    return [(0, positions // 2), (positions // 2, positions)]


def _numpy_patches(image, extractor):
    field = extractor.field
    windows = np.lib.stride_tricks.sliding_window_view(image, (field, field), axis=(1, 2))
    channels, rows, cols = windows.shape[:3]
    patches = windows.transpose(1, 2, 0, 3, 4).reshape(rows * cols, channels * field * field).astype(np.float32)
    patches -= patches.mean(axis=1, keepdims=True)
    patches /= np.sqrt(patches.var(axis=1, ddof=1, keepdims=True) + CONTRAST_EPSILON)
    patches = patches @ extractor.transform - extractor.offset
    patches /= np.maximum(np.linalg.norm(patches, axis=1, keepdims=True), 1e-12)
    return patches, rows, cols


def _numpy_pool(codes, rows, cols):
    grid = codes.reshape(rows, cols, -1)
    return np.concatenate([grid[a:b, c:d].sum(axis=(0, 1)) for a, b in _halves(rows) for c, d in _halves(cols)])


def encode_numpy(images, extractor):
    half_norms = (extractor.atoms**2).sum(axis=1)
    features = []
    for image in images:
        patches, rows, cols = _numpy_patches(image, extractor)
        codes = patches @ extractor.atoms.T
        codes *= 2
        codes -= half_norms
        codes -= (patches**2).sum(axis=1, keepdims=True)
        codes *= extractor.gamma
        np.exp(codes, out=codes)
        features.append(_numpy_pool(codes, rows, cols))
    return np.stack(features)


def encode_sklearn(images, extractor):
    from sklearn.metrics.pairwise import rbf_kernel

    features = []
    for image in images:
        patches, rows, cols = _numpy_patches(image, extractor)
        features.append(_numpy_pool(rbf_kernel(patches, extractor.atoms, gamma=extractor.gamma), rows, cols))
    return np.stack(features)


def encode_torch(images, extractor):
    import torch

    batch = 1 if torch.get_num_threads() == 1 else 16

    atoms, transform, offset = map(torch.from_numpy, (extractor.atoms, extractor.transform, extractor.offset))
    atom_norms = (atoms**2).sum(dim=1)
    features = []
    with torch.inference_mode():
        for some in torch.from_numpy(images).split(batch):
            positions = some.shape[2] - extractor.field + 1
            columns = torch.nn.functional.unfold(some.float(), extractor.field)
            patches = columns.transpose(1, 2).reshape(len(some) * positions**2, -1)
            patches -= patches.mean(dim=1, keepdim=True)
            patches /= torch.sqrt(patches.var(dim=1, keepdim=True) + CONTRAST_EPSILON)
            patches = torch.addmm(-offset, patches, transform)
            patches /= patches.norm(dim=1, keepdim=True).clamp_min(1e-12)
            codes = torch.addmm(atom_norms, patches, atoms.T, alpha=-2)
            codes.add_((patches**2).sum(dim=1, keepdim=True)).mul_(-extractor.gamma).exp_()
            grid = codes.view(len(some), positions, positions, -1)
            halves = _halves(positions)
            features.append(torch.cat([grid[:, a:b, c:d].sum(dim=(1, 2)) for a, b in halves for c, d in halves], dim=1))
    return torch.cat(features).numpy()


def krica_numpy(X, W, gamma, sparsity, epsilon, block=2048):
    """Value and gradient as the formula has them: in float64 what the others are judged by."""
    w2 = (W**2).sum(axis=1)
    G = np.exp(-gamma * (w2[:, None] + w2 - 2 * W @ W.T))
    value, gradient, products = 0.0, np.zeros_like(W), np.zeros_like(G)
    for x in np.split(X, range(block, len(X), block)):
        S = np.exp(-gamma * ((x**2).sum(axis=1)[:, None] + w2 - 2 * x @ W.T))
        SG, roots = S @ G, np.sqrt(S**2 + epsilon)
        value += len(x) + (S * SG).sum() - 2 * (S**2).sum() + sparsity * roots.sum()
        M = -2 * gamma * S * (2 * SG - 4 * S + sparsity * S / roots)
        gradient += M.sum(axis=0)[:, None] * W - M.T @ x
        products += S.T @ S
    M = -4 * gamma * products * G
    gradient += M.sum(axis=0)[:, None] * W - M @ W
    return value / len(X), gradient / len(X)


def rica_numpy(X, W, sparsity, epsilon, block=2048):
    """As krica_numpy."""
    value, gradient = 0.0, np.zeros_like(W)
    for x in np.split(X, range(block, len(X), block)):
        S = x @ W.T
        R, roots = S @ W - x, np.sqrt(S**2 + epsilon)
        value += (R**2).sum() + sparsity * roots.sum()
        gradient += (2 * R @ W.T + sparsity * S / roots).T @ x + 2 * S.T @ R
    return value / len(X), gradient / len(X)


def krica_torch_autograd(X, W, gamma, sparsity, epsilon):
    """The formula as it stands."""
    import torch

    X, W = torch.from_numpy(X), torch.from_numpy(W).requires_grad_()
    w2 = (W**2).sum(dim=1)
    S = torch.exp(-gamma * ((X**2).sum(dim=1)[:, None] + w2 - 2 * X @ W.T))
    G = torch.exp(-gamma * (w2[:, None] + w2 - 2 * W @ W.T))
    terms = 1 + ((S @ G) * S).sum(dim=1) - 2 * (S * S).sum(dim=1) + sparsity * torch.sqrt(S * S + epsilon).sum(dim=1)
    value = terms.mean()
    value.backward()
    return float(value.detach()), W.grad.numpy()


def krica_torch(X, W, gamma, sparsity, epsilon, block=1024):
    """The gradient by hand, in blocks of the size that was fastest."""
    import torch

    X, W = torch.from_numpy(X), torch.from_numpy(W)
    w2 = (W**2).sum(dim=1)
    with torch.inference_mode():
        G = torch.exp(-gamma * (w2[:, None] + w2[None, :] - 2 * W @ W.T).clamp_min(0))
        value, gradient = 0.0, torch.zeros_like(W)
        products = torch.zeros_like(G)
        for x in X.split(block):
            S = torch.addmm(w2, x, W.T, alpha=-2).add_((x**2).sum(dim=1, keepdim=True)).mul_(-gamma).exp_()
            A = S @ G
            roots = torch.sqrt(S * S + epsilon)
            value += float((S * A).sum() - 2 * (S * S).sum() + sparsity * roots.sum()) + len(x)
            A = A.mul_(2).sub_(S, alpha=4).add_(sparsity * S / roots)
            M = A.mul_(S).mul_(-2 * gamma)
            gradient += M.sum(dim=0)[:, None] * W - M.T @ x
            products.addmm_(S.T, S)
        M = 2 * products.mul_(G).mul_(-2 * gamma)
        gradient += M.sum(dim=0)[:, None] * W - M.T @ W
        return value / len(X), (gradient / len(X)).numpy()


def rica_torch(X, W, sparsity, epsilon, block=4096):
    """The gradient by hand, in blocks, with the reconstruction of every sample."""
    import torch

    X, W = torch.from_numpy(X), torch.from_numpy(W)
    with torch.inference_mode():
        value, gradient = 0.0, torch.zeros_like(W)
        for x in X.split(block):
            S = x @ W.T
            R = S @ W - x
            roots = torch.sqrt(S * S + epsilon)
            value += float((R * R).sum() + sparsity * roots.sum())
            A = torch.addmm(sparsity * S / roots, R, W.T, alpha=2)
            gradient.addmm_(A.T, x).addmm_(S.T, R, alpha=2)
        return value / len(X), (gradient / len(X)).numpy()


def rica_torch_products(X, products, W, sparsity, epsilon, block=4096):
    """The same with the reconstruction through X'X, which does not change: Σ‖VᵀVx - x‖² = tr(ECE), E = VᵀV - I."""
    import torch

    X, C, W = torch.from_numpy(X), torch.from_numpy(products), torch.from_numpy(W)
    with torch.inference_mode():
        E = W.T @ W - torch.eye(W.shape[1])
        EC = E @ C
        value, gradient = float((E * EC).sum()), 2 * W @ (EC + EC.T)
        for x in X.split(block):
            S = x @ W.T
            roots = torch.sqrt(S * S + epsilon)
            value += float(sparsity * roots.sum())
            gradient.addmm_(S.div_(roots).T, x, alpha=sparsity)
        return value / len(X), (gradient / len(X)).numpy()


def kmeans_sklearn(X, centers, iterations):
    import warnings

    from sklearn.cluster import KMeans

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it tells that it did not converge
        estimator = KMeans(len(centers), init=centers, n_init=1, max_iter=iterations, tol=0, algorithm="lloyd").fit(X)
    return estimator.inertia_


def kmeans_faiss(X, centers, iterations):
    import faiss

    estimator = faiss.Kmeans(X.shape[1], len(centers), niter=iterations, max_points_per_centroid=len(X))
    estimator.train(X, init_centroids=centers)
    index = faiss.IndexFlatL2(X.shape[1])  # its own objective is that before the last update
    index.add(estimator.centroids)
    return float(index.search(X, 1)[0].sum(dtype=np.float64))


def omp_sklearn(X, atoms, nonzeros):
    from sklearn.linear_model import orthogonal_mp_gram

    return orthogonal_mp_gram(atoms @ atoms.T, atoms @ X.T, n_nonzero_coefs=nonzeros).T


def lasso_sklearn(X, atoms, sparsity, algorithm, threads):
    from sklearn.decomposition import SparseCoder

    if algorithm == "lasso_lars":  # in float32 it loses its way
        X, atoms = X.astype(np.float64), atoms.astype(np.float64)
    coder = SparseCoder(atoms, transform_algorithm=algorithm, transform_alpha=sparsity, n_jobs=threads)
    return coder.transform(X)


def svm_sklearn(features, labels, C, tolerance, dual):
    """LinearSVC, which solves our problem in the primal (as LIBLINEAR's -s 2) or in the dual (-s 1), the better choice for
    fewer samples than features. Gives classes x (features + 1), the bias last."""
    import warnings

    from sklearn.svm import LinearSVC

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it tells that it did not converge
        estimator = LinearSVC(C=C, dual=dual, tol=tolerance, random_state=0).fit(features, labels)
    return np.column_stack([estimator.coef_, estimator.intercept_])


def svc_linear(features, labels, C):
    """Another loss (the hinge) and one-vs-one: time and accuracy only."""
    from sklearn.svm import SVC

    return SVC(C=C, kernel="linear", cache_size=1000).fit(features, labels)
