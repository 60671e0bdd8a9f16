"""The names under which a Run records what it measures, with units, definitions and dimensions.

Every recorded variable is listed here, so that a dataset explains itself. Losses and errors are dimensionless: the
features of a white input have unit variance.
"""

from typing import NamedTuple

__all__ = ["VARIABLES", "Variable"]


class Variable(NamedTuple):
    """How one recorded quantity is labelled."""

    title: str
    definition: str
    dimensions: tuple[str, ...] = ()


_SAMPLED = "on a fixed sample, the same at every save; Monte Carlo"

VARIABLES: dict[str, Variable] = {
    "excess_loss": Variable("excess loss", "L - L_opt = 1/2 E||f*(X) - TF(X)||_F^2, exact"),
    "sampled_excess_loss": Variable("sampled excess loss", f"1/2 E||f*(X) - TF(X)||_F^2 {_SAMPLED}"),
    "sampled_excess_loss_stderr": Variable("standard error", "standard error of sampled_excess_loss"),
    "test_excess_loss": Variable("excess loss on the test law", "1/2 E||f*(X) - TF(X)||_F^2 under test_inputs, exact"),
    "sampled_test_excess_loss": Variable(
        "sampled excess loss on the test law", f"1/2 E||f*(X) - TF(X)||_F^2 under test_inputs, {_SAMPLED}"
    ),
    "sampled_test_excess_loss_stderr": Variable("standard error", "standard error of sampled_test_excess_loss"),
    "batch_loss": Variable("loss of the batch", "1/2 mean over the next batch of ||Y - TF(X)||_F^2, noise included"),
    "training_loss": Variable("training loss", "1/2 mean over the sample of ||Y - TF(X)||_F^2, label noise included"),
    "value_error": Variable("value error", "||W_V - V*||_F"),
    "score_error": Variable("score error", "||S - S*||_F"),
    "value_cosine": Variable("value cosine", "<W_V, V*> / (||W_V||_F ||V*||_F); not a number where W_V = 0"),
    "channel_cosine": Variable("value cosine by channel", "cosine between the rows of W_V and of V*", ("channel",)),
    "leakage": Variable("leakage", "attention mass outside the supports of S*, mean over columns"),
    "largest_leakage": Variable("largest leakage", "attention mass outside the support of S*, largest over columns"),
    "c1": Variable("C1", "<W_V, V*> / ||V*||_F^2"),
    "c2": Variable("C2", "mean of P^T W_KQ P inside the supports of S*"),
    "c3": Variable("C3", "minus the mean of P^T W_KQ P outside the supports of S*"),
    "gap": Variable("logit gap", "mean logit inside minus mean logit outside the support, averaged over columns"),
    "value_off_line": Variable(
        "distance from the line", "||W_V - C1 V*||_F / ||W_V||_F; Lemma D.2 claims 0; 0 where W_V = 0"
    ),
    "logit_spread_inside": Variable(
        "spread inside", "largest minus smallest logit inside the support, largest over columns; Lemma D.2 claims 0"
    ),
    "logit_spread_outside": Variable(
        "spread outside", "largest minus smallest logit outside the support, largest over columns; Lemma D.2 claims 0"
    ),
    "local_exponent": Variable("local exponent", "d log(excess loss) / d log T at the save; not a number at T = 0"),
    "block_norms": Variable("norms of the blocks", "Frobenius norms of the blocks of W_V and W_KQ", ("block",)),
}
