"""What all similarities share: what they declare, their registry, the loop over pairs."""
