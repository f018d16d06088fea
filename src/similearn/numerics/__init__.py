"""Arrays in, arrays out: NumPy, SciPy and numba only.

Every function here assumes checked input (finite float64 arrays of matching
shapes, integer class codes); the estimators check once, at their door.
Compiled functions are serial and release the interpreter lock: parallelism
belongs to the one chunking loop, `similearn.data.chunks`.
"""
