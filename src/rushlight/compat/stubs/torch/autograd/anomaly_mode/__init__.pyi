# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.autograd.anomaly_mode import detect_anomaly as detect_anomaly
from rushlight.autograd.anomaly_mode import is_anomaly_check_nan_enabled as is_anomaly_check_nan_enabled
from rushlight.autograd.anomaly_mode import is_anomaly_enabled as is_anomaly_enabled
from rushlight.autograd.anomaly_mode import set_anomaly_enabled as set_anomaly_enabled
from rushlight.autograd.anomaly_mode import set_detect_anomaly as set_detect_anomaly
