"""The paper's experiments: settings files in, JSON lines out, then tables, figures and a report.

``dicola paper`` runs them; they use only public names of dicola. Nothing is imported here, so that
help and completion need not wait.
"""
