"""Whether a page is about something, or only leads to other pages."""

from quarkcrawl.content.topic.api import (
    MODEL_FEATURES,
    TOPIC_METHODS,
    load_topic_models,
    topic_probability,
)
from quarkcrawl.content.topic.features import URL_FEATURES, page_features, url_features
from quarkcrawl.content.topic.model import LogisticModel, save_models

__all__ = [
    "MODEL_FEATURES",
    "TOPIC_METHODS",
    "URL_FEATURES",
    "LogisticModel",
    "load_topic_models",
    "page_features",
    "save_models",
    "topic_probability",
    "url_features",
]
