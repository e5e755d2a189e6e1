"""Operators that read or write places given by indices."""
