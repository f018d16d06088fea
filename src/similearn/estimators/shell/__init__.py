"""What all estimators share: checks of input, label codes, decisions, explanations."""
