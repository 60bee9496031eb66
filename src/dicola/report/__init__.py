"""What a person looks at: drawings of a PAG, the page around them, and why each mark stands."""
