"""Selection with the target set in the query: drawn anew for every input, and still 1/T, with a known constant."""

from docendo.experiments.query_selection import QuerySelection

task = QuerySelection(tokens=10, sparsity=3, features=4)
course = task.descend(learning_rate=0.1, save_at=[10**3, 10**4, 10**5, 10**6])
part = 0.1 * course.step * course.loss / task.limit
print("mass outside the target set:", course.outside)
print("learning rate × steps × loss, as a part of its limit (D − 1)/(4τ²):", part)
