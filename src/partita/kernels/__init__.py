"""Leaves: arrays in, arrays out. Loops that BLAS cannot do, and the threads that share them.

numba is imported inside the functions that need it, so that a small fit compiles nothing.
"""
