"""The emitter: a loop nest as an LLVM function, in the variant that a launch asks for."""
