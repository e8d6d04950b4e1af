"""From a model to a plan: key codecs, wire codecs, exact requests and the proofs that they are right. No I/O, at import time."""
