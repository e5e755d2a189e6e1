"""What is asked of tensors, and done with them as objects: copies, memory, exchange with other libraries, lists."""
