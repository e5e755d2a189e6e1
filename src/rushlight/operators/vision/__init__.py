"""The operators of torchvision's compiled extension, which `library/vision.py` puts into `torch.ops.torchvision`. They are
read when that extension would be loaded.
"""
