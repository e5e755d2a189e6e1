# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.packaging._errors import PackageError as PackageError
from rushlight.packaging._load import Package as Package
from rushlight.packaging._load import load_package as load_package
from rushlight.packaging._write import package as package
