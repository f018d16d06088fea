"""Nearly exact tables of neighbours: how they are found, judged, and searched for queries."""
