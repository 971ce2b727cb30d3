"""What `same_models.py` is made of: the tables, the learners that are fitted to them, and the prints of what comes out."""
