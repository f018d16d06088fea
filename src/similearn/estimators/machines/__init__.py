"""Support vector machines on similarities, and their relatives."""
