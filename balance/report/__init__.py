"""Tables and charts assembled for people: terminal, files, and one HTML page. Only here are numbers rounded."""
