"""Worked examples of course texts and textbooks, one test per acceptance row, with the true figures."""
