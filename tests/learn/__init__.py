"""Learning without scikit-learn."""
