"""The operators of torchvision's compiled extension, which `library/vision.py` puts into `torch.ops.torchvision`: read
when that extension would be loaded.
"""
