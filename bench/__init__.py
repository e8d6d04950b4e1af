"""Benchmarks: ratios measured in one interleaved run. Absolute times mean little; what counts is who is how much faster."""
