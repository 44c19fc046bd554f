"""Jobs of ordinary Scrapy spiders that survive a crash."""
