"""The loops of similarities of objects."""
