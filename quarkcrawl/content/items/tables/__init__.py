"""Tables as people read them: cells with the headers that hold for them."""
