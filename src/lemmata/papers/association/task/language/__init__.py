"""What language models are asked: one file a task, in plain Python.

Data that others have published are read from the user's own copy; each loader names its source. Nothing is downloaded.
"""
