"""The nearest samples, and the weights they get: affinity, KRR, KRI, LIME."""
