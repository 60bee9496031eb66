"""Exchange formats: one file each, a reader and a writer."""
