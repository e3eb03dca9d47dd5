"""Numbers from arrays: measures, chance and oracle, intervals, significance."""
