"""Picture search: the index of pictures and of the text around them."""

from quarkcrawl.corpus.pictures.index import index_pictures, pictures_folder
from quarkcrawl.corpus.pictures.search import PictureHits, search_folder, search_pictures

__all__ = ["PictureHits", "index_pictures", "pictures_folder", "search_folder", "search_pictures"]
