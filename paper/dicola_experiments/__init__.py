"""The paper's experiments: a settings file in, JSON lines out, tables and figures from these. ``dicola paper`` is the door.

They use public names of dicola alone. Nothing is imported here, so that help and completion need not wait.
"""
