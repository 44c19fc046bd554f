"""Classes of domains and provinces of the statistics of CWT200g (thesis, 4.2 and 4.4)."""

from __future__ import annotations

from typing import Final

_SECOND_LEVEL: Final = ("com.cn", "gov.cn", "edu.cn", "net.cn", "org.cn", "ac.cn")
_TOP_LEVEL: Final = ("com", "net", "org", "cn")

PROVINCES: Final[dict[str, str]] = {
    "bj": "北京", "sh": "上海", "gd": "广东", "js": "江苏", "tj": "天津", "zj": "浙江",
    "fj": "福建", "ha": "河南", "sd": "山东", "cq": "重庆", "hb": "湖北", "sc": "四川",
    "he": "河北", "ln": "辽宁", "hn": "湖南", "gx": "广西", "jx": "江西", "hl": "黑龙江",
    "sn": "陕西", "ah": "安徽", "yn": "云南", "gs": "甘肃", "jl": "吉林", "nm": "内蒙古",
    "sx": "山西", "gz": "贵州", "xj": "新疆", "hi": "海南", "nx": "宁夏", "qh": "青海",
    "xz": "西藏", "hk": "香港", "mo": "澳门", "tw": "台湾",
}  # fmt: skip
"""Provinces by their names under .cn (CNNIC)."""

DOMAIN_CLASSES: Final = (
    ".com", ".net", ".cn", "com.cn", ".org", "province.cn", "gov.cn", "edu.cn", "net.cn",
    "org.cn", "ac.cn", "other",
)  # fmt: skip
"""Classes in the order of the thesis."""

_NAMES: Final = {name[:2]: name for name in PROVINCES.values()}


def _labels(host: str) -> list[str]:
    return host.lower().partition(":")[0].rstrip(".").split(".")


def domain_class(host: str) -> str:
    """The class of a host.

    >>> [domain_class(h) for h in ("www.sina.com.cn", "pku.edu.cn", "a.bj.cn", "x.cn", "1.2.3.4")]
    ['com.cn', 'edu.cn', 'province.cn', '.cn', 'other']
    """
    labels = _labels(host)
    if len(labels) < 2:
        return "other"
    if labels[-1] == "cn":
        if ".".join(labels[-2:]) in _SECOND_LEVEL and len(labels) > 2:
            return ".".join(labels[-2:])
        if labels[-2] in PROVINCES and len(labels) > 2:
            return "province.cn"
    return f".{labels[-1]}" if labels[-1] in _TOP_LEVEL else "other"


def province_of_domain(host: str) -> str | None:
    """The province whose name under .cn a host stands below.

    >>> province_of_domain("www.gov.sh.cn"), province_of_domain("www.pku.edu.cn")
    ('上海', None)
    """
    labels = _labels(host)
    return PROVINCES.get(labels[-2]) if len(labels) > 2 and labels[-1] == "cn" else None


def province_of_name(text: str) -> str | None:
    """The province that a name in an IP database begins with.

    >>> province_of_name("内蒙古自治区"), province_of_name("广西壮族自治区"), province_of_name("0")
    ('内蒙古', '广西', None)
    """
    return _NAMES.get(text[:2])
