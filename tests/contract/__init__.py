"""What users and other libraries rely on: scikit-learn's checks, public names, the order of the rooms, the parts page."""
