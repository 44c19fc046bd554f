"""Lists as sites have them, each with what is in it."""

DAY = 1795651200.0  # 2026-11-26T00:00:00Z
SITE = "http://www.a.cn/feeds/list.xml"

GOLDEN = {
    "urlset": (
        """<?xml version="1.0" encoding="UTF-8"?>
        <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
                xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
          <url><loc> http://www.a.cn/?a=1&amp;b=2 </loc><lastmod>2026-11-26</lastmod>
               <changefreq>daily</changefreq><priority>0.8</priority>
               <image:image><image:loc>http://img.a.cn/1.jpg</image:loc></image:image></url>
          <url><loc>http://www.a.cn/2</loc><lastmod>2026-11-26T08:00:00+08:00</lastmod></url>
          <url><loc>http://www.a.cn/2</loc></url>
        </urlset>""",
        [("http://www.a.cn/?a=1&b=2", DAY), ("http://www.a.cn/2", DAY)],
    ),
    "index": (
        """<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
        <sitemap><loc>http://www.a.cn/1.xml.gz</loc><lastmod>2026-11</lastmod></sitemap>
        <sitemap><loc>http://www.a.cn/2.xml</loc></sitemap></sitemapindex>""",
        [("http://www.a.cn/1.xml.gz", DAY - 25 * 86400), ("http://www.a.cn/2.xml", None)],
    ),
    "news": (
        """<urlset xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"><url>
        <loc>http://www.a.cn/n/1</loc><news:news><news:publication><news:name>天网</news:name>
        <news:language>zh-cn</news:language></news:publication>
        <news:publication_date>2026-11-26T00:00:00Z</news:publication_date>
        <news:title>网页 的
        结构</news:title></news:news></url></urlset>""",
        [("http://www.a.cn/n/1", DAY)],
    ),
    "text": (
        "\ufeffhttp://www.a.cn/1\r\n\r\n  HTTPS://www.a.cn/2  \r\nno address\r\n/3\r\nhttp://www.a.cn/1",
        [("http://www.a.cn/1", None), ("https://www.a.cn/2", None)],
    ),
    "rss": (
        """<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"
             xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel>
        <link>http://www.a.cn/</link><atom:link href="http://www.a.cn/rss" rel="self"/>
        <item><title><![CDATA[一 & 二]]></title><link>http://www.a.cn/1</link>
          <guid isPermaLink="false">http://www.a.cn/not/me</guid>
          <content:encoded><![CDATA[<a href="http://www.a.cn/not/me">]]></content:encoded>
          <pubDate>Thu, 26 Nov 2026 08:00:00 +0800</pubDate></item>
        <item><guid>http://www.a.cn/2</guid><pubDate>someday</pubDate></item>
        <item><link>/3</link></item><item><title>without</title></item></channel></rss>""",
        [("http://www.a.cn/1", DAY), ("http://www.a.cn/2", None), ("http://www.a.cn/3", None)],
    ),
    "rdf": (
        """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
              xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">
        <channel rdf:about="http://www.a.cn/not/me"><items><rdf:Seq>
          <rdf:li rdf:resource="http://www.a.cn/1"/></rdf:Seq></items></channel>
        <item rdf:about="http://www.a.cn/1"><title>1</title><dc:date>2026-11-26</dc:date></item>
        <item rdf:about="urn:2"><link>http://www.a.cn/2</link></item></rdf:RDF>""",
        [("http://www.a.cn/1", DAY), ("http://www.a.cn/2", None)],
    ),
    "rss091": (
        """<!DOCTYPE rss PUBLIC "-//Netscape Communications//DTD RSS 0.91//EN"
            "http://my.netscape.com/publish/formats/rss-0.91.dtd">
        <rss version="0.91"><channel><item><link>http://www.a.cn/caf&eacute;&nbsp;1</link></item>
        </channel></rss>""",
        [("http://www.a.cn/caf%C3%A9%C2%A01", None)],
    ),
    "atom": (
        """<feed xmlns="http://www.w3.org/2005/Atom" xml:base="http://www.a.cn/blog/">
        <link href="http://www.a.cn/not/me"/><id>http://www.a.cn/not/me</id>
        <updated>2000-01-01T00:00:00Z</updated>
        <entry><link rel="self" href="not/me"/><link rel="alternate" href="1.html"/>
          <published>2026-11-25T00:00:00Z</published><updated>2026-11-26T00:00:00Z</updated>
          <source><updated>2001-01-01T00:00:00Z</updated></source></entry>
        <entry xml:base="/other/"><link href="2.html"/></entry></feed>""",
        [("http://www.a.cn/blog/1.html", DAY), ("http://www.a.cn/other/2.html", None)],
    ),
    "json": (
        """{"version": "https://jsonfeed.org/version/1.1", "title": "x", "items": [
        {"id": "1", "url": "../1", "date_published": "2026-11-25T00:00:00Z",
         "date_modified": "2026-11-26T00:00:00Z", "title": "a"},
        {"id": "http://www.a.cn/2"}, {"id": "3", "url": null}, 4]}""",
        [("http://www.a.cn/1", DAY), ("http://www.a.cn/2", None)],
    ),
}
KINDS = {name: name for name in GOLDEN} | {"rdf": "rss", "rss091": "rss"}

BROKEN = {
    "loose signs": "<urlset><url><loc>http://www.a.cn/?a=1&b=2&copy=3</loc> 1 < 2 & 3</url></urlset>",
    "no declared prefix": "<x:urlset><x:url><x:loc>http://www.a.cn/?a=1&amp;b=2&amp;copy=3</x:loc></x:url></x:urlset>",
    "no first element": "<url><loc>http://www.a.cn/?a=1&#38;b=2&amp;copy=3</loc></url>",
    "words before": "Warning: x in y.php on line 3\n<?xml version='1.0'?><urlset><url><loc>http://www.a.cn/?a=1&b=2&copy=3</loc></url></urlset>",
    "blank before the declaration": "\n\n <?xml version='1.0' encoding='big5'?><urlset><url><loc>http://www.a.cn/?a=1&b=2&copy=3</loc></url></urlset>",
    "control characters": "<urlset>\x0b\x00<url><loc>http://www.a.cn/?a=1\x1f&b=2&copy=3</loc></url></urlset>",
    "unclosed entries": "<urlset><url><loc>http://www.a.cn/?a=1&b=2&copy=3</loc><url></urlset>",
    "capitals": "<URLSET><URL><LOC><![CDATA[http://www.a.cn/?a=1&b=2&copy=3]]></LOC></URL></URLSET>",
    "unknown references": "<urlset>&none; &#0; &#x110000;<url><loc>http://www.a.cn/?a=1&b=2&copy=3</loc></url></urlset>",
    "wrong end": "<urlset><url><loc>http://www.a.cn/?a=1&b=2&copy=3</loc></url></rss>",
}
