"""Programs: straight-line lists of primitives over tensors with symbolic sizes."""
