"""The declared state of every class that a model file may name, one entry each.

What a fit learns is named here with its shape and with the range of every index, so that no index
of a file's choosing reaches compiled code. What follows from the rest is made again instead of
being stored. A class or attribute that is not declared cannot be saved, and a test says so.
"""
