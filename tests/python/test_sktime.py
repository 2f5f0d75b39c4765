"""The adapters for sktime: its own checks, and what alignments say."""

import subprocess
import sys
import warnings

import numpy as np
import pytest

import diffeo

pytest.importorskip("sktime", reason="sktime is not installed")
import pandas
from sktime.alignment.base import BaseAligner
from sktime.classification.base import BaseClassifier
from sktime.utils.estimator_checks import check_estimator

from diffeo.sktime import Aligner, Classifier


@pytest.mark.parametrize(("adapter", "base"), [(Aligner, BaseAligner), (Classifier, BaseClassifier)])
def test_sktimes_checks_pass(adapter, base):
    assert issubclass(adapter, base)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(adapter, verbose=False)
    assert {check: result for check, result in results.items() if result != "PASSED"} == {}
    assert len(results) > 50


@pytest.fixture(scope="module")
def series():
    bumps = diffeo.generate_bumps(4, seed=2, classes=1, length=40)
    return [pandas.DataFrame(one.T[: 40 - case]) for case, one in enumerate(bumps.X)]


def test_an_alignment_has_every_step_of_every_series_in_order(series):
    alignment = Aligner(diffeo.JointAligner(cells=4)).fit(series).get_alignment()
    assert alignment.columns.tolist() == ["ind0", "ind1", "ind2", "ind3"]
    for one, column in zip(series, alignment, strict=True):
        assert alignment[column].unique().tolist() == list(range(len(one)))
        assert (np.diff(alignment[column]) >= 0).all()


def test_aligned_series_agree_better_than_resampled_ones(series):
    aligner = Aligner().fit(series)
    aligned = np.stack([one.to_numpy() for one in aligner.get_aligned()])
    raw = diffeo.resample([one.to_numpy().T for one in series], aligned.shape[1])
    assert aligned.var(axis=0).mean() < 0.3 * raw.var(axis=0).mean()
    assert aligner.aligner_.reliable_.all()


def test_without_sktime_the_adapters_say_what_they_need():
    code = "import sys; sys.modules['sktime'] = None; import diffeo.sktime"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert 'ImportError: diffeo.sktime needs sktime: pip install "diffeo[sktime]"' in done.stderr
