"""scikit-learn's estimators and functions on tensors, with array_api_dispatch: what NumPy's arrays give, in tensors.

scikit-learn wants SCIPY_ARRAY_API set, which SciPy reads when it is imported, so that the calls run in a process of
their own.
"""

from __future__ import annotations

import importlib.util

import pytest
from calls import each_call

if importlib.util.find_spec("sklearn") is None:  # to import it would take a second, here
    pytest.skip("needs scikit-learn", allow_module_level=True)

# Name -> (an expression of X (60 x 5), y (classes), z (other classes), t (targets), P (positive, 60 x 5); whether the
# result is an array).
CALLS = {
    "StandardScaler": ("preprocessing.StandardScaler().fit_transform(X)", True),
    "MinMaxScaler": ("preprocessing.MinMaxScaler().fit(X).inverse_transform(X)", True),
    "PolynomialFeatures": ("preprocessing.PolynomialFeatures(2).fit_transform(X)", True),
    "LabelEncoder": ("preprocessing.LabelEncoder().fit_transform(y)", True),
    "Ridge": ("linear_model.Ridge(solver='svd').fit(X, t).predict(X)", True),
    "LogisticRegression": ("linear_model.LogisticRegression().fit(X, y).predict_proba(X)", True),
    "PCA": ("decomposition.PCA(3, svd_solver='full').fit(X).explained_variance_", True),
    "PCA, randomized": (
        (
            "decomposition.PCA(2, svd_solver='randomized', power_iteration_normalizer='QR', "
            "random_state=0).fit(X).explained_variance_"
        ),
        True,
    ),
    "LinearDiscriminantAnalysis": (
        "discriminant_analysis.LinearDiscriminantAnalysis().fit(X, y).decision_function(X)",
        True,
    ),
    "GaussianMixture": (
        "mixture.GaussianMixture(2, init_params='random_from_data', random_state=0).fit(X).means_",
        True,
    ),
    "GaussianNB": ("naive_bayes.GaussianNB().fit(X, y).predict_log_proba(X)", True),
    "Nystroem": ("kernel_approximation.Nystroem(n_components=4, random_state=0).fit_transform(X)", True),
    "a pipeline": (
        "pipeline.make_pipeline(preprocessing.StandardScaler(), linear_model.Ridge(solver='svd')).fit(X, t).predict(X)",
        True,
    ),
    "cross_val_predict": ("model_selection.cross_val_predict(linear_model.Ridge(solver='svd'), X, t)", True),
    "train_test_split": ("model_selection.train_test_split(X, random_state=0)[1]", True),
    "rbf_kernel": ("metrics.pairwise.rbf_kernel(X)", True),
    "manhattan_distances": ("metrics.pairwise.manhattan_distances(X, P)", True),
    "confusion_matrix": ("metrics.confusion_matrix(y, z)", True),
    "f1_score": ("metrics.f1_score(y, z)", False),
    "log_loss": ("metrics.log_loss(y, P[:, :2] / P[:, :2].sum(1)[:, None])", False),
    "r2_score": ("metrics.r2_score(t, X[:, 1])", False),
    "roc_auc_score": ("metrics.roc_auc_score(y, X[:, 1])", False),
}

PROGRAM = """
import json, sys
import numpy as np
import rushlight as rl
import sklearn
from sklearn import decomposition, discriminant_analysis, kernel_approximation, linear_model, metrics, mixture
from sklearn import model_selection, naive_bayes, pipeline, preprocessing

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 5))
arrays = {"X": X, "y": (X[:, 0] + 0.3 * rng.normal(size=60) > 0).astype(np.int64), "z": rng.integers(0, 2, 60),
          "t": X @ np.arange(5.0) + 0.1 * rng.normal(size=60),
          "P": np.abs(X) + 0.1}
found = {}
with sklearn.config_context(array_api_dispatch=True):
    for name, (call, array) in json.load(sys.stdin).items():
        try:
            tensors = {k: rl.tensor(v) for k, v in arrays.items()}
            ours, theirs = (eval(call, {**globals(), **values}) for values in (tensors, arrays))
            same = isinstance(ours, rl.Tensor) == array and np.shape(ours) == np.shape(theirs)
            assert same, f"{type(ours).__name__}, {np.shape(ours)}"
            np.testing.assert_allclose(np.asarray(ours), theirs, rtol=1e-7, atol=1e-10)
            found[name] = ""
        except Exception as error:
            found[name] = f"{type(error).__name__}: {error}"
print(json.dumps(found))
"""


test_sklearn = each_call(PROGRAM, CALLS)
