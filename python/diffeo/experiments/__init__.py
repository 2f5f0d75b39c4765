"""The research desk: read results of experiments, compare methods, draw figures, make the page.

>>> import pandas as pd
>>> from diffeo import experiments
>>> scores = pd.DataFrame({"diffeo": [0.9, 0.8, 0.7, 0.9], "dba": [0.8, 0.8, 0.6, 0.7]}, index=list("ABCD"))
>>> experiments.mean_ranks(scores).to_dict()
{'diffeo': 1.125, 'dba': 1.875}
>>> experiments.wilcoxon(scores["diffeo"], scores["dba"]).p_value
0.25

Results of `diffeo evaluate` are read by `read_results` and become such a table by `summarize`.

Needs `pip install diffeo[experiments]`: pandas, SciPy, scikit-learn, matplotlib and Jinja2. On the command
line: `diffeo report RESULTS -o page.html` and `diffeo study`.
"""

from . import _requirements as _requirements  # first: the others import what it looks for
from . import figures as figures
from .embedding import tsne
from .folder import Experiment, Published, read_experiment, setting_words
from .page import make_page, page_of
from .results import MethodSummary, OtherSetting, ResultsSummary, read_results, summarize
from .statistics import (
    Comparison,
    CriticalDifference,
    FriedmanResult,
    WilcoxonResult,
    compare_methods,
    critical_difference,
    friedman,
    geometric_mean_ranks,
    holm,
    is_reachable_accuracy,
    mean_ranks,
    method_ranks,
    nemenyi_critical_difference,
    sharpshooter,
    wilcoxon,
)

__all__ = [
    "Comparison",
    "CriticalDifference",
    "Experiment",
    "FriedmanResult",
    "MethodSummary",
    "OtherSetting",
    "Published",
    "ResultsSummary",
    "WilcoxonResult",
    "compare_methods",
    "critical_difference",
    "figures",
    "friedman",
    "geometric_mean_ranks",
    "holm",
    "is_reachable_accuracy",
    "make_page",
    "mean_ranks",
    "method_ranks",
    "nemenyi_critical_difference",
    "page_of",
    "read_experiment",
    "read_results",
    "setting_words",
    "sharpshooter",
    "summarize",
    "tsne",
    "wilcoxon",
]
