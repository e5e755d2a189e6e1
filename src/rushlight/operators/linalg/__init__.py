"""Products of matrices and vectors, contractions, factorizations, solvers and distances."""
