# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.autograd.anomaly_mode import (
    detect_anomaly as detect_anomaly, is_anomaly_check_nan_enabled as is_anomaly_check_nan_enabled,
    is_anomaly_enabled as is_anomaly_enabled, set_anomaly_enabled as set_anomaly_enabled, set_detect_anomaly as set_detect_anomaly,
)
