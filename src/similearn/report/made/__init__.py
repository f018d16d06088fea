"""The last page of a report: how it was made, and how it can be made again."""
