"""Picture search: the index of pictures and of the text around them."""
