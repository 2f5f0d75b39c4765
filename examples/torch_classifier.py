# %% [markdown]
# # A temporal transformer in front of a classifier, both trained as one network
#
# Cylinders, bells and funnels begin and end at random, which a classifier that looks at fixed places has to
# learn to see past. A transformer in front of it brings the series into common time; nothing but the loss of
# the classifier tells it how.
#
# The cells of this script are those of a notebook: editors and Jupytext open it as one, Python runs it.

# %%
import argparse
import sys

import numpy as np
import torch
from torch import Tensor, nn

import diffeo
import diffeo.torch

TRAINING, TEST, LENGTH, CLASSES = 90, 600, 128, 3
BATCH, LEARNING_RATE = 10, 3e-3
LEAST_ACCURACY = 0.85  # a third would be chance
MOST_LOSS = 0.5  # of what it was at first

# %% [markdown]
# What may be chosen when it is run as a script. Notebooks have arguments of their own, which are left alone.

# %%
parser = argparse.ArgumentParser(description="A classifier with and without a temporal transformer.")
parser.add_argument("--epochs", type=int, default=30)
parser.add_argument("--seeds", type=int, default=3, help="how many training sets and first weights")
chosen, _ = parser.parse_known_args()
epochs: int = chosen.epochs
seeds: int = chosen.seeds

# %% [markdown]
# ## The series
# Each of mean 0 and standard deviation 1, in the precision that networks are trained in.


# %%
def cbf(cases: int, seed: int) -> tuple[Tensor, Tensor]:
    series, labels = diffeo.generate_cbf(cases, seed, LENGTH)
    classes = torch.tensor(labels.astype(np.int64) - 1)
    return torch.tensor(np.asarray(diffeo.z_normalize(series)), dtype=torch.float32), classes


# %% [markdown]
# ## Two networks
# The transformer takes (cases, channels, time) and gives (cases, channels, length): it fits in front of
# whatever took series before. Its warps start near the identity.


# %%
def classifier() -> nn.Sequential:
    """Convolutions, averages over sixteenths of the time, and a decision by what was seen in each."""
    return nn.Sequential(
        nn.Conv1d(1, 8, 9, padding=4),
        nn.ReLU(),
        nn.AdaptiveAvgPool1d(16),
        nn.Flatten(),
        nn.Linear(8 * 16, CLASSES),
    )


def classifier_behind_a_transformer() -> nn.Sequential:
    transformer = diffeo.torch.TemporalTransformer(1, LENGTH, cells=16, widths=(16, 16, 16), dropout=0.3)
    return nn.Sequential(transformer, classifier())


# %% [markdown]
# ## Training
# As for any network: the warps are differentiable, and the optimizer sees the parameters of both.


# %%
def train(network: nn.Module, series: Tensor, labels: Tensor) -> list[float]:
    """The loss of every epoch."""
    optimizer = torch.optim.AdamW(network.parameters(), lr=LEARNING_RATE)
    losses = []
    network.train()
    for _ in range(epochs):
        total = 0.0
        for batch in torch.randperm(len(series)).reshape(-1, BATCH):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(network(series[batch]), labels[batch])
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            total += loss.item() * len(batch)
        losses.append(total / len(series))
    return losses


def accuracy(network: nn.Module, series: Tensor, labels: Tensor) -> float:
    network.eval()
    with torch.no_grad():
        return float((network(series).argmax(dim=1) == labels).float().mean())


# %% [markdown]
# ## Both, on fresh series

# %%
test_series, test_labels = cbf(TEST, seed=0)
worked = True
print(f"of {TEST} test series, after training on {TRAINING}:")
for make in (classifier, classifier_behind_a_transformer):
    reached = []
    for seed in range(1, seeds + 1):
        torch.manual_seed(seed)
        network = make()
        losses = train(network, *cbf(TRAINING, seed))
        reached.append(accuracy(network, test_series, test_labels))
        worked = worked and reached[-1] > LEAST_ACCURACY and losses[-1] < MOST_LOSS * losses[0]
    each = " ".join(f"{value:.3f}" for value in reached)
    print(f"{make.__name__.replace('_', ' '):32} {np.mean(reached):.3f} right (each seed: {each})")

# %% [markdown]
# ## What the transformer has learnt
# Where in its own time each series is read, less where it would be without a warp.

# %%
transformer = network[0]
assert isinstance(transformer, diffeo.torch.TemporalTransformer)
with torch.no_grad():
    moved = transformer.warp(test_series).positions - torch.linspace(0, 1, LENGTH)
print(f"it moves series by up to {moved.abs().amax(dim=1).mean():.3f} of their duration, on average")

# %%
if not worked:
    sys.exit("torch_classifier.py: a network has not learnt what it should have")
