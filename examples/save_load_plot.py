"""Keep a run, read it back, draw it. The file is netCDF and opens with xarray alone."""

import xarray

import docendo as dc

teacher = dc.teachers.random(8, sparsity=2, features=4, channels=4, seed=0)
run = dc.train(teacher, None, dc.GradientDescent(0.1), steps=2_000)
run.save("run.nc")
again = dc.load_run("run.nc")
again.plot().savefig("run.svg")
print(again)
print(xarray.open_dataset("run.nc").excess_loss.attrs["definition"])
