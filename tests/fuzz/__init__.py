"""The attacker: random calls, files, models and command lines, each in a child that may crash.

``python -m tests.fuzz --help`` says how to run it. A case is a kind, a seed and a number, and
is the same whenever it is drawn from them again.

drawing       random choices, remembered in words
blocks        matrices, tables, labels and sources in every form, sound and unsound
parameters    constructor arguments, sound and unsound
estimators    the life of an estimator: fit, predict, clone, pickle, ...
functions     all other public names
files         data files by mutation
models        model files by mutation, and crafted ones
commands      command lines
mutations     of bytes, archives and JSON
outcomes      what became of a case
children      processes with a limit of time and memory
"""
