"""Kernels of matrix products: what the loops of core/native/product.c call (docs/design/products.md)."""
