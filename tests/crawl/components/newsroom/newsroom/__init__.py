"""A Scrapy project with page objects, which has quarkcrawl's pages by one line of its settings."""
