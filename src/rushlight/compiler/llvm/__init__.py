"""LLVM: its text, and the machine code that it makes of it."""
