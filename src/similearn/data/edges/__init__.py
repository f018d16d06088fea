"""Lists of pairs: edge lists, and the hits of sequence searches."""
