"""The core: corpus, retrieval, grounded answers, receipts. Knows no web.

Linear algebra runs on one thread: a second BLAS thread on a busy two-core host multiplied the median scan time by
6 to 24 (docs/performance.md), and a turn has better uses for the other core.
"""

import os as _os

for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    _os.environ.setdefault(_name, "1")

# onnxruntime's wheels write a device id at import and can send events; nothing that Galen runs reports to anyone.
_os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
