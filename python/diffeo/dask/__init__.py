"""Bulk work on a Dask cluster: many series through one model, and an archive of data sets through many.

>>> from dask.distributed import Client
>>> X, y = diffeo.generate_cbf(60, seed=1, length=32)
>>> classifier = diffeo.NearestCentroid().fit(X[:30], y[:30])
>>> with Client(processes=False, n_workers=1, dashboard_address=None):
...     labels = diffeo.dask.classify(classifier, X[30:])
>>> bool((labels == classifier.predict(X[30:])).all())
True

A model is sent to every worker once; series follow in parts, of which a few are on their way at a time, and
results come in the order of the series, the same bits as without a cluster. What a worker was doing when it
was lost is done by another. Tasks are named after what they do, so that Dask's dashboard shows how far it is.

Needs the package distributed: `pip install "diffeo[dask]"`.
"""

from ._load import require_distributed

require_distributed()

from ._bulk import classify, transform  # noqa: E402  distributed has to be there first
from ._evaluate import evaluate  # noqa: E402

__all__ = ["classify", "evaluate", "transform"]
