"""The deterministic safety floor: pure computation, no I/O at turn time."""
