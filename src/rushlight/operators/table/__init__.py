"""How an operator is declared, bound, traced, differentiated and compiled: what the families are written with."""
