"""Puts a temporal transformer in front of a classifier, and trains both as one network.

Cylinders, bells and funnels begin and end at random, which a classifier that looks at fixed places has to
learn to see past. A transformer in front of it brings the series into common time; nothing but the loss of
the classifier tells it how.
"""

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


def cbf(cases: int, seed: int) -> tuple[Tensor, Tensor]:
    series, labels = diffeo.generate_cbf(cases, seed, LENGTH)
    classes = torch.tensor(labels.astype(np.int64) - 1)
    return torch.tensor(diffeo.z_normalise(series), dtype=torch.float32), classes


def classifier() -> nn.Module:
    """Convolutions, averages over sixteenths of the time, and a decision by what was seen in each."""
    return nn.Sequential(
        nn.Conv1d(1, 8, 9, padding=4),
        nn.ReLU(),
        nn.AdaptiveAvgPool1d(16),
        nn.Flatten(),
        nn.Linear(8 * 16, CLASSES),
    )


def classifier_behind_a_transformer() -> nn.Module:
    transformer = diffeo.torch.TemporalTransformer(1, LENGTH, cells=16, widths=(16, 16, 16), dropout=0.3)
    return nn.Sequential(transformer, classifier())


def train(network: nn.Module, series: Tensor, labels: Tensor, epochs: int) -> list[float]:
    """The loss of every epoch."""
    optimizer = torch.optim.AdamW(network.parameters(), lr=LEARNING_RATE)
    losses = []
    network.train()
    for _ in range(epochs):
        total = 0.0
        for chosen in torch.randperm(len(series)).split(BATCH):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(network(series[chosen]), labels[chosen])
            loss.backward()
            optimizer.step()
            total += loss.item() * len(chosen)
        losses.append(total / len(series))
    return losses


@torch.no_grad()
def accuracy(network: nn.Module, series: Tensor, labels: Tensor) -> float:
    return (network.eval()(series).argmax(dim=1) == labels).float().mean().item()


def main() -> int:
    parser = argparse.ArgumentParser(description="A classifier with and without a temporal transformer.")
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--seeds", type=int, default=3, help="how many training sets and first weights")
    arguments = parser.parse_args()
    test = cbf(TEST, seed=0)
    worked = True
    print(f"of {TEST} test series, after training on {TRAINING}:")
    for make in (classifier, classifier_behind_a_transformer):
        reached = []
        for seed in range(1, arguments.seeds + 1):
            torch.manual_seed(seed)
            network = make()
            losses = train(network, *cbf(TRAINING, seed), arguments.epochs)
            reached.append(accuracy(network, *test))
            worked = worked and reached[-1] > LEAST_ACCURACY and losses[-1] < MOST_LOSS * losses[0]
        each = " ".join(f"{value:.3f}" for value in reached)
        print(f"{make.__name__.replace('_', ' '):32} {np.mean(reached):.3f} right (each seed: {each})")
    return 0 if worked else 1


if __name__ == "__main__":
    sys.exit(main())
