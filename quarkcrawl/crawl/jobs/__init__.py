"""Jobs of any Scrapy spider that survive their process."""
