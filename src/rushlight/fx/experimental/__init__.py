"""Graphs made by running: `proxy_tensor.make_fx`."""
