# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.utils.benchmark._compare import Compare as Compare
from rushlight.utils.benchmark._fuzzer import FuzzedParameter as FuzzedParameter
from rushlight.utils.benchmark._fuzzer import FuzzedTensor as FuzzedTensor
from rushlight.utils.benchmark._fuzzer import Fuzzer as Fuzzer
from rushlight.utils.benchmark._fuzzer import ParameterAlias as ParameterAlias
from rushlight.utils.benchmark._measurement import Measurement as Measurement
from rushlight.utils.benchmark._measurement import TaskSpec as TaskSpec
from rushlight.utils.benchmark._measurement import ordered_unique as ordered_unique
from rushlight.utils.benchmark._measurement import select_unit as select_unit
from rushlight.utils.benchmark._measurement import trim_sigfig as trim_sigfig
from rushlight.utils.benchmark._measurement import unit_to_english as unit_to_english
from rushlight.utils.benchmark._timer import Language as Language
from rushlight.utils.benchmark._timer import Timer as Timer
from rushlight.utils.benchmark._timer import timer as timer
