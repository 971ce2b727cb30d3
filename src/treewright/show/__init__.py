"""Trees for people: text (pictures and pages come with their own files)."""
