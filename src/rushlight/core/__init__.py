"""The compiled core: storages, tensors, dtypes, dispatch, launch and the autograd engine. Knows nothing of
operators.
"""
