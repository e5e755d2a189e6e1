"""Fourier and trigonometric transforms, short-time transforms, windows."""
