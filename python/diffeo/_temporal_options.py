"""The parameters of `diffeo.TemporalAligner`.

Made by tools/generate_signatures.py from the table of hyper-parameters (include/diffeo/training_options.hpp):
change the table, not this file.
"""

from __future__ import annotations

import os

import numpy as np

from ._aligner import WarpingAligner
from ._fit_progress import Callback


class TemporalOptions(WarpingAligner):
    """Every parameter, kept under its name; `fit` looks at them."""

    def __init__(
        self,
        *,
        cells: int = 32,
        zero_boundary: bool = True,
        basis: str = "svd",
        layers: int = 1,
        shared_layers: bool = False,
        composition: str = "compose",
        velocity_scale: float = 4.0,
        horizon: float = 1.0,
        method: str = "exact",
        method_steps: int = 8,
        length: int = 0,
        centered: bool = True,
        network: str = "conv",
        widths: tuple[int, ...] = (32, 64, 64),
        kernels: tuple[int, ...] = (7, 5, 3),
        hidden: int = 32,
        positions: int = 64,
        dropout: float = 0.2,
        initialization: str = "torch",
        loss: str = "warps on values and slopes | variance + 30 cross-entropy | variance + 30 cross-entropy on slopes | variance + 30 cross-entropy + 10 recognition",  # noqa: E501
        sharpness: float = 5.0,
        prior_weight: float = 0.0003,
        length_scale: float = 0.1,
        epochs: int = 120,
        least_steps: int = 500,
        batch_size: int = 32,
        balanced: bool = True,
        learning_rate: float = 0.001,
        schedule: str = "cosine",
        weight_decay: float = 0.01,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-08,
        clip: float = 0.0,
        noise: float = 0.0,
        augmentation: float = 0.015,
        members: int = 0,
        shrinkage: str = "1",
        folds: int = 3,
        validation: float = 0.0,
        patience: int = 50,
        random_state: int | np.random.RandomState | np.random.Generator | None = None,
        n_jobs: int | None = None,
        verbose: int | None = None,
        callback: Callback | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        resume: bool = False,
    ) -> None:
        """What the table of hyper-parameters says of each.

        warps
            cells           Cells of the velocity fields: more allow finer warps (1 to 4096)
            zero_boundary   Whether both ends of every series stay in place
            basis           Basis of the velocity fields (svd, qr, rref, sparse)
            layers          Warps one after the other, each decided by a network (1 to 64)
            shared_layers   Whether all layers share one network (recurrences)
            composition     Several layers: compose the warps exactly, or resample the series after each
                            (compose, resample)
            velocity_scale  Size of the velocities that a network can ask for (1e-06 to 1e+06)
            horizon         How long a velocity field flows (1e-06 to 1000)
            method          How the flow is integrated (exact, numeric, scaling-squaring)
            method_steps    Steps of the numeric method, squarings of scaling-squaring; exact has none (0 to
                            4096)
            length          Time steps of aligned series, 8 or more; 0 means the longest training series' (at
                            least 0)
            centered        Whether common time is the mean of the training series' own times

        network
            network         What looks at a series and decides on its warp (conv, recurrent, inception,
                            residual)
            widths          Channels of the network's blocks (1 to 65536)
            kernels         Lengths of the convolutions, odd, one for each block (1 to 65535)
            hidden          Width of the layer before the last (1 to 1e+06)
            positions       Time steps, at most, that reach the last two layers of conv and residual (1 to
                            1e+06)
            dropout         Part of the features left out in training, before the last two layers (0 to 0.99)
            initialization  How weights start (torch, xavier-normal)

        loss
            loss            What training makes small: a sum of warps, variance, slopes, inverse-consistent,
                            cross-entropy and recognition, each with a weight before it; on values, slopes or
                            values and slopes; several, with | between them, are for members in turn
            sharpness       Where the cross-entropy's sharpness starts, in units of 1 / the variance within
                            classes before training (1e-06 to 1e+06)
            prior_weight    Weight of the smoothness prior's penalty (at least 0)
            length_scale    Smoothness of the prior, of the series' length (0.001 to 1000)

        optimizer
            epochs          Passes over the training set (at least 1)
            least_steps     Steps, at least: small sets get more epochs (at least 0)
            batch_size      Series in a step (at least 2)
            balanced        Whether rare classes come more often than by chance
            learning_rate   Step size of Adam (1e-12 to 1000)
            schedule        How the learning rate goes down (cosine, constant)
            weight_decay    Decoupled decay of the weights (AdamW); 0 is Adam (0 to 1000)
            beta1           Decay of Adam's mean of gradients (0 to 0.999999)
            beta2           Decay of Adam's mean of squared gradients (0 to 0.999999)
            epsilon         What keeps Adam from dividing by zero (1e-30 to 1)
            clip            Longest gradient allowed; 0 allows any (at least 0)
            noise           Noise added to what the network sees in training, of the data's standard deviation
                            (0 to 1000)
            augmentation    Size of the random warps that training series get, of their length; 0 leaves them
                            as they are (0 to 10)

        robustness
            members         Number of networks; 0 means one for each loss. The first that only aligns aligns,
                            the others compare (0 to 1024)
            shrinkage       Time at which trained warps are used, 0 to 1; or validated, to choose it on series
                            held out of training
            folds           Parts of the training set held out in turn to choose the shrinkage, where it is
                            validated (2 to 100)
            validation      Part of the training set held out to stop early on; 0 trains to the end (0 to 0.9)
            patience        Epochs without a better held-out loss before stopping (at least 1)

        how it runs
            random_state    Seed of everything random; None draws one, which `random_state_` records
            n_jobs          Threads; None is 1, -1 all the cores the process may use, -2 all but one
            verbose         None shows a progress bar in a terminal or a notebook if fit takes more than 2 s;
                            0 shows nothing; 1 shows a bar of tqdm, or prints about ten lines to stderr if
                            tqdm is not installed; 2 prints a line for every epoch
            callback        Called with a FitProgress after every epoch; what it raises ends the training
            checkpoint      Directory in which training keeps where it is; needs a random_state
            resume          Whether to go on from the checkpoint, where there is one
        """
        self.cells = cells
        self.zero_boundary = zero_boundary
        self.basis = basis
        self.layers = layers
        self.shared_layers = shared_layers
        self.composition = composition
        self.velocity_scale = velocity_scale
        self.horizon = horizon
        self.method = method
        self.method_steps = method_steps
        self.length = length
        self.centered = centered
        self.network = network
        self.widths = widths
        self.kernels = kernels
        self.hidden = hidden
        self.positions = positions
        self.dropout = dropout
        self.initialization = initialization
        self.loss = loss
        self.sharpness = sharpness
        self.prior_weight = prior_weight
        self.length_scale = length_scale
        self.epochs = epochs
        self.least_steps = least_steps
        self.batch_size = batch_size
        self.balanced = balanced
        self.learning_rate = learning_rate
        self.schedule = schedule
        self.weight_decay = weight_decay
        self.beta1 = beta1
        self.beta2 = beta2
        self.epsilon = epsilon
        self.clip = clip
        self.noise = noise
        self.augmentation = augmentation
        self.members = members
        self.shrinkage = shrinkage
        self.folds = folds
        self.validation = validation
        self.patience = patience
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback
        self.checkpoint = checkpoint
        self.resume = resume
