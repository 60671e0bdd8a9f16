"""Group-sparse classification: one group decides a sign; the logistic loss falls like T^(−1/3)."""

from docendo.experiments.group_sparse_classification import GroupSparseClassification

task = GroupSparseClassification(tokens=6, features=4, logit_scale=1.0)
start = task.start(size=0.01, seed=0)
population = task.descend(2.0, [100, 1000, 10_000, 50_000], start)
sampled = task.sample(2.0, [10, 100, 200], start, batch_size=500, seed=1)
print("loss as a part of its law:", population.loss / task.law(2.0, population.step))
print("angle to v*, population and batches of 500:", population.angle[0], sampled.angle[1])
