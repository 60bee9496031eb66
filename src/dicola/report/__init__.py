"""What a person looks at: the drawing of a PAG and the page around it."""
