"""Compare methods on data as the papers do, store what is done, tell and draw the results.

`registry` lists the methods, `problems` says what they are compared on, `compare` runs them
and `tables` tells the outcome; `models` keeps a fitted method in a file.
"""
