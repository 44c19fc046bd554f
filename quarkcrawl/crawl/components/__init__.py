"""What Scrapy is given: add-on, scheduler, middlewares, pipelines, extensions."""
