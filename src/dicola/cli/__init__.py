"""The command line: a command parses, calls one public function, prints."""
