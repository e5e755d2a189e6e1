"""The functions of neural networks' layers: activations, convolution, pooling, normalization, losses, attention."""
