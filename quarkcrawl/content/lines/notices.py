"""Lines about the site, the reader's browser and the page, on whatever page they stand.

Notices of cookies and consent, of an age that readers must have, of scripts that are switched off
and of old browsers; what Chinese sites state below a text about sources, rights and whom to write
to; how long ago somebody wrote something, its tags, how many liked or shared it, whose the site is,
how to report an error; buttons, editors and the neighbors of an article below it, and the line
above it that says when it was published, where and by whom.
"""

from __future__ import annotations

import re
from typing import Final

MAX_NOTICE_CHARS: Final = 700
MAX_HAN_CHARS: Final = 120
"""A Chinese notice of scripts or cookies is shorter."""

_WORDS: Final = (
    *("ookie", "avascript", "avaScript", "脚本", "腳本", "JS", "18", "21 "),
    *(" browser", "浏览器", "瀏覽器", "クッキー"),
)
_RARE_CHARS: Final = ("k", "v", "v", "脚", "腳", "J", "8", "2", "w", "浏", "瀏", "ッ")
"""A character of each of these words, sought first: texts without it are passed sooner."""

_BROWSER: Final = re.compile(
    r"^\W{0,3}(?:(?:you (?:are|seem to be) using|your browser is) (?:an? )?"
    r"(?:out[- ]of[- ]date|outdated|old|unsupported|no longer supported|not supported)|"
    r"(?:you should |please )?(?:upgrade|update)(?: your browser)? or use an? \w+ browser|"
    r"(?:您|你)(?:目前|正在|当前|當前)?(?:使用)?的?(?:浏览器|瀏覽器)(?:版本)?(?:过低|過低|太低|太旧|太舊|过旧|過舊))",
    re.IGNORECASE,
)
_SCRIPT: Final = re.compile(
    r"^\W{0,3}(?:please |sadly, |sorry, |note: |warning: |attention: )?"
    r"(?:(?:you (?:need|have|must)|(?:to )?(?:enable|turn on|activate)|it (?:looks|seems|appears)|"
    r"(?:your|the|this|a) (?:web )?browser|(?:this|the|our) (?:web)?"
    r"(?:site|page|app|application|slideshow|forum|video|content|feature)|download a browser|"
    r"java ?script (?:is|must|seems|has|needs|appears|should)|we (?:need|use|require)|"
    r"for (?:a|the) (?:better|best|full) experience)[^\n]{0,300})?"
    r"(?:(?:enable|requires?|turn on|activate|supports?|without|disabled|need)[^\n]{0,60}"
    r"java ?script|"
    r"java ?script[^\n]{0,60}(?:disabled|not enabled|enabled|turned off|required|to work|activated|"
    r"not available|deaktiviert|aktiviert))",
    re.IGNORECASE,
)
_SCRIPT_HAN: Final = re.compile(
    r"(?:浏览器|瀏覽器|您|你|请|請|本站|本网站|本網站|本页|本頁|网站|網站)"
    r"[^。\n]{0,40}(?:javascript|js|脚本|腳本)[^。\n]{0,40}"
    r"|(?:启用|啟用|开启|開啟|打开|打開|支持|支援|禁用|关闭|關閉)[^。\n]{0,12}(?:javascript|\bjs\b|脚本|腳本)",
    re.IGNORECASE,
)
_COOKIES: Final = re.compile(
    r"\b(?:(?:we|this (?:web)?site|our (?:web)?sites?|our partners)"
    r"(?: and our (?:\w+ )?partners?)?(?: may| also| only)? "
    r"(?:uses?|stores?|sets?|places?)(?: and/or access)?\b[^.\n]{0,80}\bcookies?\b|"
    r"(?:accept|reject|allow|manage|decline) (?:all |the |our )?cookies?|"
    r"cookies? (?:settings|preferences|consent)|(?:consent|agree)[^.\n]{0,60}\bcookies|"
    r"with our cookies|"
    r"when you visit (?:any|our|a) (?:web)?sites?, (?:it|we) may (?:store|retrieve)|"
    r"these cookies (?:are (?:strictly )?(?:necessary|required|essential for (?:the|our|you)|"
    r"set by)|may be set (?:by|through)|"
    r"(?:allow|help|enable) us|enable the (?:web)?site|collect information)|"
    r"^(?:strictly necessary|functional|performance|targeting|analytics) cookies$|"
    r"diese (?:web)?seite (?:benutzt|verwendet|nutzt) cookies|"
    r"wir (?:verwenden|nutzen|setzen) [^.\n]{0,40}cookies)",
    re.IGNORECASE,
)
_COOKIES_ELSEWHERE: Final = re.compile(
    r"\b(?:"
    r"(?:(?:ce|notre|le présent) (?:site|blog)|nous|nos partenaires)\b[^.\n]{0,60}"
    r"\b(?:utilis|dépos|stock)\w{1,5}\b(?! (?:du|pour)\b)[^.\n]{0,40}|"
    r"(?:accept(?:er|ez|ons)|en acceptant)\b[^.\n]{0,60}|"
    r"(?:refuser|gérer|paramétrer) (?:tous )?(?:les |des |mes |vos )?|"
    r"(?:paramètres|gestion|politique) (?:de |des |d['’]utilisation des )|"
    r"(?:este (?:sitio|site)|el presente sitio|esta (?:web|página)|(?:nuestr|noss)[oa] "
    r"(?:sitio|site|web|página))\b[^.\n]{0,40}\b(?:utiliza|usa|emplea)\b[^.\n]{0,60}|"
    r"(?:utilizamos|usamos|empleamos)\b[^.\n]{0,24}|"
    r"(?:(?:acept|aceit)(?:ar|as|a|ando|e)|rechazar|rejeitar|política de|"
    r"configura\w{2,5} (?:de|das|dos))[^.\n]{0,40}|"
    r"(?:(?:questo|il nostro|il presente) (?:sito|blog)\b[^.\n]{0,40}"
    r"\b(?:utilizza|usa|impiega|fa uso)|utilizziamo|usiamo|accett(?:are|a|i|ando|o)|informativa)"
    r"\b[^.\n]{0,60}|"
    r"(?:deze (?:web)?site|onze (?:web)?sites?|wij|we)\b[^.\n]{0,40}"
    r"\b(?:gebruikt?|gebruiken|plaatst|plaatsen)\b(?! voor\b)[^.\n]{0,40}|"
    r"(?:accepteer|weiger)\b[^.\n]{0,20}|"
    r"(?:(?:stron[ay]|serwis|portal|witryna)\b[^.\n]{0,40}"
    r"\b(?:używa|korzysta|wykorzystuje|stosuje)|używamy|korzystamy|wykorzystujemy|stosujemy|"
    r"akceptuj\w{0,5}|zgod[ęay] na|polity[kc]\w{1,3})\b[^.\n]{0,60}|"
    r"(?:(?:мы|сайт[еа]?|портал)\b[^.\n]{0,60}\b(?:использу|применя)\w{1,5}|"
    r"соглас\w{1,10}|соглаша\w{1,8}|принима\w{1,6}|принять)\b[^.\n]{0,80}"
    r")\bcookies?\b|"
    r"\bcookies?[ -]?(?:accepteren|weigeren|toestaan|instellingen)|"
    r"(?:サイト|ページ|当社|弊社)[^。\n]{0,40}(?:cookie|クッキー)[^。\n]{0,40}(?:使用|利用|用い)|"
    r"(?:cookie|クッキー)[^。\n]{0,20}(?:使用|利用)(?:に同意|を許可|を承諾)",
    re.IGNORECASE,
)
"""The same in French, Spanish, Portuguese, Italian, Dutch, Polish, Russian and Japanese."""

_ON_THIS_SERVICE: Final = "on this service"
_PURPOSE: Final = re.compile(
    r"\W{0,3}(?:(?:advertising|content) presented to you on this service can be based on"
    r"|information (?:about your activity on this service|regarding which (?:advertising|content) "
    r"is presented to you)|cookies, device or similar online identifiers"
    r"|reports can be generated based on the combination of data sets"
    r"|your data can be used to monitor for and prevent)",
    re.IGNORECASE,
)
"""Purposes of data as consent dialogs word them (Transparency and Consent Framework of the IAB)."""

_COOKIES_HAN: Final = re.compile(r"(?:使用|接受|同意)[^。\n]{0,12}cookies?", re.IGNORECASE)
_AGE: Final = re.compile(
    r"^\W{0,3}(?:are you (?:over|at least|of legal|above)\b[^\n]{0,40}(?:18|21|age)|"
    r"(?:you must be|i am|i'm|yes, i am)[^\n]{0,30}\b(?:18|21)\b"
    r"[^\n]{0,40}(?:years|older|over|age|enter)|(?:未满|未滿)\s?(?:18|十八)[^\n]{0,30})",
    re.IGNORECASE,
)
_ABOUT: Final = re.compile(
    r"cookie|クッキー|privacy|confidential|privacid|prywatn|конфиденц|プライバシー|datenschutz|"
    r"java ?script|隐私|隱私|脚本|腳本",
    re.IGNORECASE,
)
_STATEMENT_WORDS: Final = (
    *("转载", "轉載", "本网", "本網", "本站", "版权", "版權"),
    *("平台", "平臺", "information storage"),
)
_STATEMENT: Final = re.compile(
    r"凡[^。\n]{0,12}[注註]明|凡本[网網站報报刊]|不代表本[网網站][^。\n]{0,6}(?:赞同|贊同|观点|觀點|立场|立場)|"
    r"(?:目的在[于於]|出[于於]|旨在|[为為]了?)(?:传递|傳遞|传播|傳播)更多(?:信息|[资資][讯訊])|(?:转载|轉載)[请請][^。\n]{0,6}[注註]明[^。\n]{0,10}(?:来源|來源|出处|出處)|"
    r"未[经經][^。\n]{0,14}(?:授权|授權|许可|許可|允许|允許|同意)[^。\n]{0,6}"
    r"(?:不得|禁止|严禁|嚴禁|请勿|請勿|谢绝|謝絕)[^。\n]{0,6}(?:转载|轉載|复制|複製|摘[编編]|刊登)|"
    r"本[网網站報报刊](?:原创|原創|专稿|專稿)|版[权權][^。\n]{0,4}[属屬归歸][^。\n]{0,16}所有|"
    r"(?:本平[台臺]|[号號][系係為为是])[^。\n]{0,20}(?:信息|[资資][讯訊料])(?:[发發][布佈]|存[储儲])(?:空[间間])?(?:平[台臺]|服[务務])|"
    r"only provides? information storage"
)
_STATEMENT_PART: Final = re.compile(
    r"^(?:\S{0,2}[声聲]明)\W*$|^\W*(?:电话|電話|传真|傳真|邮箱|郵箱|e-?mail|稿件|联系|聯[絡繫])[^。\n]{0,40}[:：]",
    re.IGNORECASE,
)
_SHOP_WORDS: Final = ("划线", "劃線", "商家", "交易", "申明", "库存", "服务承诺", "配送")
_SHOP: Final = re.compile(
    r"^\W*(?:[价價]格[说說]明|未?[划劃][线線][价價](?:格)?|内容申明|安全提示)\W*$|"
    r"[专專][柜櫃][价價]、|[实實][时時][标標][价價]，|[划劃][线線][价價]格?(?:进行|進行|指|仅|僅)|"
    r"^[^。，；]{0,12}库存\s?\d+\s?件[^。，；]{0,20}$|^\W*服务承诺\s?[:：]?\s.{0,60}$|^\W*配送\s?[:：至]?\s.{0,40}$|"
    r"商家[详詳]情[页頁]（|第三方交易平[台臺]|交易中[请請]勿|[仅僅][当當]出[现現][价價]格比[较較][时時]"
)
"""What shops state on the page of every article: what a price means, whom not to trust."""

_POST_WORD: Final = re.compile(
    "[前刚剛删刪屏赞讚享转轉签籤暂暫]| ago|eleted|emoved|[Cc](?:trl|TRL)"
)
_OF_POST: Final = re.compile(
    r"[^。！？，,!?在于於是]{0,20}(?:\d{1,3}\s?(?:秒|分[钟鐘]|小[时時]|天|日|周|週|[个個]?月|年)之?前"
    r"|[刚剛][刚剛])\W{0,2}$"
    r"|(?:.{0,20}[^\w\s]\s?|\W{0,3}(?:last )?(?:posted|published|updated|edited|modified)\s)?"
    r"\d{1,3} (?:second|minute|min|hour|day|week|month|year)s? ago\W{0,2}$"
    r"|\W{0,3}(?:[该該此本])?(?:评论|評論|帖子?|回复|回覆|留言|内容|內容|楼层)(?:已[经經]?被?|被)"
    r"(?:作者|管理[员員]|楼主|系统|用户)?(?:删除|刪除|屏蔽)\W*$"
    r"|\W{0,3}(?:this )?(?:comment|post|message|reply) (?:has been |was )?(?:deleted|removed)"
    r"(?: by .{0,40})?\W*$"
    r"|(?:[^。！？，]{0,20}等\s?\d{0,6}|\W{0,3}\d{1,6})\s?[人位](?:[赞讚][过過]|点过?赞|點過?讚)\s*$"
    r"|\W{0,3}(?:分享|[转轉][发發]|[点點][赞讚])\s?(?!(?:19|20)\d\d\b)\d+\s*$"
    r"|\W{0,3}(?:[问問][题題]|文章|帖子|[话話][题題]|本文)[标標][签籤]\s?[:：][^。！？；]{0,60}$"
    r"|\W{0,3}[暂暫][无無](?:[数數][据據]|[资資]料|[评評][论論]|回[复覆復]|留言)\W*$"
    r"|(?=.{0,150}(?:ошибк|опечатк|mistake|typo|错误|错别字)).{0,150}\bctrl\W{0,3}enter\b",
    re.IGNORECASE,
)
"""A line that says how long ago somebody wrote something and no more, that it was deleted, how many
liked or shared it, its tags, that there is nothing yet, or how to report an error in it."""

_CREDIT: Final = re.compile(
    r"\W{0,3}(?:[^。！？:：]{1,12}[:：][^。！？:：]{1,24}){0,4}"
    r"(?:[责責](?:任[编編][辑輯]|[编編])|[编編][辑輯审審校]|[终終]?[审審]核|[终終][审審]|校[对對]|值班主任)\s?[:：]\s?[^\s。！？]{0,6}(?:\s[^\s。！？]{1,6}){0,4}\s?$"
)
"""Who edited or checked a text, at its end."""

N_CREDIT_LINES: Final = 4

_BESIDE: Final = re.compile(
    r"\W{0,3}(?:[上下前后後](?:一[篇章节節个個]|一?(?:[条條則则页頁]|文章|新[闻聞]))|[前后後]篇)\s?[:：]"
    r"[^。]{0,100}$"
)
"""The article before or after, at the end of a text."""

_ACTION: Final = (
    r"(?:我要)?(?:打印|列印)(?:本[页頁文]|此[页頁文])?|[关關][闭閉](?:窗口|本[页頁]|視窗)?|[发發]表[评評][论論]|我要[评評][论論]"
    r"|(?:加入)?收藏(?:本[页頁文站]|[该該此]文|商品|[宝寶][贝貝]|夹)?|推[荐薦][给給](?:好友|朋友)|好文要[顶頂]|[关關]注我"
    r"|分享(?:[到至]?(?:好友和朋友圈|微信|微博|朋友圈|好友))?|微信分享|返回(?:[顶頂]部|列表)|[举舉][报報]|[纠糾挑][错錯]"
    r"|[复複][制製](?:本文)?(?:[链鏈]接|歌[词詞])|字[号號體体]|[大中小顶頂踩赞讚]|[点點][赞讚]|[转轉][发發]"
    r"|立即(?:[购購][买買]|[订訂][购購]|[报報]名|下[载載]|咨[询詢]|[预預][约約])"
    r"|加入(?:[购購]物[车車]|[进進][货貨][单單]|[书書](?:架|[签籤]))|(?:用|打开)?微信扫(?:[码碼描]|一扫)(?:二维码)?|投推[荐薦]票"
    r"|上一[页頁章篇]|下一[页頁章篇]|章?[节節]?目[录錄]|[编編][辑輯]|播[报報]|打[赏賞]|投[币幣]"
)
_COUNT: Final = r"(?>[数數]?\W{0,2}\d[\d.,]{0,8}\s?[万萬千kw]?\+?)"
_ACTIONS: Final = re.compile(
    rf"\W{{0,4}}(?:(?:(?:{_ACTION})(?>(?:{_COUNT})?)"
    rf"|(?:[评評][论論]|[阅閱][读讀]|[浏瀏][览覽]|播放){_COUNT})(?>[^\w、，,]{{0,4}})){{1,12}}$"
)
"""Words of buttons, with or without how often they were pressed; others only with that."""

_ONE_ACTION: Final = re.compile(rf"\W{{0,4}}(?:{_ACTION})\W{{0,4}}$")
_ACTION_STARTS: Final = frozenset(
    "我打列关關发發加收推编編播好分微返举舉纠糾挑复複字大中小顶頂踩赞讚点點转轉立用投上下章节節目评評阅閱浏瀏"
)
_MIN_ACTIONS_CHARS, _MAX_ACTIONS_CHARS = 4, 60
"""Buttons below a text; a single short word may be one of it."""

_READING: Final = re.compile(
    r"\W{0,3}[请請][记記]住(?:本[书書站]|我[们們])[^。]{0,8}(?:域名|[网網]址|地址)|.{0,12}(?:手机版|手機版|最新|移[动動]版)(?:[阅閱][读讀])?[网網]址\s?[:：]\s?[a-z\d]"
    r"|\W{0,3}本章未完[，,]?\s?(?:[请請]|[点點][击擊])|.{0,20}[章错錯][节節误誤]\W{0,3}[点點][此击擊][^。]{0,4}[举舉][报報]"
)
"""What sites of novels say between chapters."""

_MAX_POST_CHARS: Final = 200
_MAX_ADDRESS_CHARS: Final = 100
_SENTENCE_ENDS: Final = ("。", "！", "？", "”", ".", "!", "?")
"""Longer lines, and those that end so, are no address of whose a site is."""

_RIGHTS: Final = re.compile(
    r"\W{0,3}(?:copyright\s?)?(?:©|\(c\)(?!.*[,;，；。!?]))\s?(?:copyright\s?)?"
    r"(?:(?:19|20)\d\d\b|.{0,40}\b(?:19|20)\d\d\W*$)"
    r"|\W{0,3}copyright\W.{0,80}\ball rights reserved\W*$|\W{0,3}版[权權]所有\s?[:：©].{0,80}$"
    r"|[^。！？]{0,60}(?:ICP[备備证證]|公[网網]安[备備])[^。！？]{0,8}\d{4}[^。！？]{0,60}$",
    re.IGNORECASE,
)
"""One of the last lines that says whose a site is, since when, or under what number."""

_RETRIEVED: Final = re.compile(
    r"\W{0,3}(?:retrieved from|abgerufen von|von|récupérée de|obtenido de|estratto da|disponível em"
    r"|overgenomen van|źródło|источник|取自|検索元)\W{1,5}https?://\S+|\W{0,3}https?://\S+?から取得\W*",
    re.IGNORECASE,
)
"""One of the last lines by which wikis say where a printed page is from."""

_ASKED: Final = re.compile(
    r"\W{0,3}(?=[wdihtxlctgs¿feoбczк本此这這您こ이\d])"
    r"(?:(?:was|is|did) (?:this|the) (?:\w+ ){0,2}(?:helpful|useful|help(?: you)?)\b.{0,20}\?\W*$"
    r"|did you find (?:this|the) (?:\w+ ){0,2}(?:helpful|useful)\W*\?\W*$"
    r"|(?:glad|sorry) to hear (?:it|that)\W{1,3}please (?:\w+ )?tell us how we can improve\W*$"
    r"|\d+ out of \d+ found this helpful\W*$|thank(?:s| you) for your feedback\W*$"
    r"|(?:war|ist) (?:diese|das|die)\w{0,2} .{0,40}(?:hilfreich|nützlich)\W*\?\W*$"
    r"|(?:cette|cet|ce) .{0,40}(?:utile|aidé)\W*\?\W*$|¿.{0,40}(?:útil|ayudó).{0,20}\?\W*$"
    r"|(?:est[ae]|ess[ae]) .{0,40}útil\W*\?\W*$|(?:quest[oa]) .{0,40}utile\W*\?\W*$"
    r"|(?:был[аио]?) ли .{0,40}полез\w{1,4}\W*\?\W*$|czy (?:ten|ta|to) .{0,40}pomoc\w{1,4}\W*\?\W*$"
    r"|[这這此本您].{0,12}(?:(?:有帮助|有幫助|有用)(?:[吗嗎么]|\W*[?？])|是否.{0,4}(?:有帮助|有幫助|有用))\W*$|この.{0,12}役に立ちました?か\W*$"
    r"|이 .{0,12}도움이 되.{0,4}(?:나요|까)\W*$)",
    re.IGNORECASE,
)
"""One of the last lines that asks whether a page was of use."""

_MAX_MORE_CHARS: Final = 30
_MORE: Final = re.compile(
    r"\W{0,3}(?:(?:learn|read|see|find out|view|discover) more|continue reading"
    r"|read (?:the )?(?:full|whole) (?:story|article|post)|weiterlesen|mehr (?:lesen|erfahren|dazu)"
    r"|jetzt (?:lesen|entdecken)|lire la suite|en savoir plus|(?:leer|saber|ver) más"
    r"|(?:saiba|leia|ler) mais|leggi (?:tutto|di più)|scopri di più|lees (?:meer|verder)"
    r"|czytaj (?:więcej|dalej)|dowiedz się więcej|читать (?:далее|дальше|полностью)|подробнее"
    r"|διαβάστε περισσότερα|続きを読む|もっと(?:見る|読む)|詳しく(?:見る|はこちら)|阅读全文"
    r"|閱讀全文|[查閱阅]?[看读讀]更多|了解更多|더 보기|자세히 보기|xem thêm|đọc tiếp)\W{0,4}$",
    re.IGNORECASE,
)
"""A line that leads to the rest of what it stands below."""

_THIS_TEXT: Final = "本文"
_ABOUT_RIGHTS: Final = re.compile(r"版[权權]|[转轉][载載]|[声聲]明|著作[权權]")
MAX_STATEMENT_CHARS: Final = 400
N_LAST_LINES: Final = 8
"""A site's statement stands among so many lines at the end."""

_DATE: Final = re.compile(
    r"(?:19|20)\d\d\s?[-/.年]\s?\d\d?\s?[-/.月]\s?\d\d?(?!\d)\s?日?"
    r"(?:\s?[(（]?(?:星期|周|週)[一二三四五六日天][)）]?)?(?:\s?\d\d?[:：]\d\d(?:[:：]\d\d)?)?"
)
_CLOCK: Final = re.compile(r"\d[:：]\d\d")
_MONTH: Final = r"(?:jan|feb|m[aä]r|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[cz])[a-z]{0,6}\.?"
_YEAR: Final = re.compile(r"(?:19|20)\d\d")
_ONLY_DATED: Final = re.compile(
    r"\W{0,3}(?:(?:(?:last )?(?:updated?|modified|published|posted|edited)|aktualisiert|stand|uhr"
    r"|aktualizacja|zaktualizowano|dodano|publi(?:ée?|cado|kowano)|mis à jour|actualizado"
    r"|pubblicato|aggiornato|опубликовано|обновлено|on|at|am|le|vom|il|el|dnia|[ap]\.?m\.?|e[ds]?t|p[ds]?t|gmt"
    r"|utc|[a-z]{3,6}day|\d\d?[./-]\d\d?[./-](?:19|20)\d\d|(?:19|20)\d\d-\d\d-\d\d"
    rf"|{_MONTH}\s\d\d?(?:st|nd|rd|th)?,?\s(?:19|20)\d\d"
    rf"|\d\d?(?:\.|st|nd|rd|th)?\s{_MONTH},?\s(?:19|20)\d\d"
    r"|\d\d?:\d\d(?::\d\d)?(?:\s?[ap]m)?)(?:[\s,:|·–-]+|$)){1,9}$",
    re.IGNORECASE,
)
"""A line of nothing but dates and words that say of what they are."""

_BY_WHOM: Final = re.compile(
    r"\W{0,3}(?:created|written|posted|published|added|(?:last )?(?:updated|modified|edited)) by "
    r"[^!?;:]{1,40}(?:, last (?:updated|modified|edited)(?: by [^!?;:]{1,40})?)? on "
    rf"(?:{_MONTH}\s\d\d?(?:st|nd|rd|th)?,?\s(?:19|20)\d\d|\d\d?(?:st|nd|rd|th)?\s{_MONTH},?\s"
    r"(?:19|20)\d\d|(?:19|20)\d\d-\d\d-\d\d|\d\d?/\d\d?/(?:19|20)\d\d)"
    r"(?:,? (?:at )?\d\d?:\d\d(?:\s?[ap]m)?)?\W*$",
    re.IGNORECASE,
)
"""A line of nothing but who wrote something, and when."""

_LABELED: Final = re.compile(
    r"(?P<source>(?:文章|信息|新[闻聞]|稿件)?(?:[来來]\s?源|稿源))|[作记記]\s?者|(?:[责責]任)?[编編]\s?[辑輯]|[责責][编編]"
    r"|(?:信息|[发發][布佈]|更新)?(?:[时時][间間]|日期)|[发發][布佈](?:者|人|[单單]位)?|分[类類]|[栏欄]目"
    r"|(?:[点點][击擊]|[浏瀏][览覽]|[阅閱][读讀]|[访訪][问問])(?:次[数數]|量|人?[数數])?|人[气氣]|[评評][论論]"
)
_REPORTER: Final = re.compile(r"[记記]\s?者")
_OF_TIME: Final = re.compile(r"\S{0,2}(?:[时時][间間]|日期)")
"""Labels behind which also questions and the time of something else stand."""

_BYLINE: Final = re.compile(
    rf"(?:{_LABELED.pattern})\s?[:：]\s?[^\s:：]{{0,20}}|https?://\S+"
    r"|(?:字[号號]|(?:文)?字[体體]?大小|字[体體])[:：]?|[【\[(（]?\s?[大中小]\s?[】\])）]"
    r"|(?:我要)?打印|列印|[关關][闭閉]|收藏|分享[到至]?|[阅閱][读讀]|[浏瀏][览覽]|[点點][击擊]|[评評][论論]|原[创創]"
)
"""What stands in a line with the date of an article, but for names."""

_NO_BYLINE: Final = re.compile(r"[。！？；!?;]|^\W{0,2}[(（《]")
_MAX_BYLINE_CHARS, _MAX_NAMES_CHARS, _MAX_NAME_CHARS_ALONE = 120, 16, 4
"""Of a whole line, of names beside a date, of a name beside nothing but a label."""

N_FIRST_LINES: Final = 4
"""Bylines stand among so many lines at the beginning, the headline included."""


def is_notice(text: str) -> bool:
    """Whether a line asks for cookies, an age, scripts or another browser.

    Args:
        text: one line.
    """
    if len(text) > MAX_NOTICE_CHARS or not _words_in(text):
        return False
    if _SCRIPT.match(text) or _AGE.match(text) or _BROWSER.match(text):
        return True
    lower = text.lower()
    may_be_cookies = "cook" in lower or "クッキー" in text
    if may_be_cookies and (_COOKIES.search(text) or _COOKIES_ELSEWHERE.search(text)):
        return True
    if len(text) >= MAX_HAN_CHARS:
        return False
    may_be_script = "j" in lower or "脚" in text or "腳" in text
    return (may_be_script and _SCRIPT_HAN.search(text) is not None) or (
        may_be_cookies and _COOKIES_HAN.search(text) is not None
    )


def _words_in(text: str) -> list[str]:
    """Which of the words that notices have a text has."""
    pairs = zip(_RARE_CHARS, _WORDS, strict=True)
    return [word for char, word in pairs if char in text and word in text]


def site_statements(texts: list[str], title: str) -> list[bool]:
    """Which of the last lines state, for all texts of a site, where they are from and whose.

    What is said about "this text" stays: some authors say it themselves.

    Args:
        texts: chosen lines.
        title: title of the page.

    >>> site_statements(["正文。", "声明：", "凡本网注明来源的，版权均属本网所有。"], "")
    [False, True, True]
    """
    matches = [False] * len(texts)
    first = max(len(texts) - N_LAST_LINES, 0)
    last_lines = "\n".join(texts[first:])
    if not any(word in last_lines for word in _STATEMENT_WORDS) or _ABOUT_RIGHTS.search(title):
        return matches
    for number in range(first, len(texts)):
        text = texts[number]
        if len(text) > MAX_STATEMENT_CHARS or _THIS_TEXT in text or not _STATEMENT.search(text):
            continue
        matches[number] = True
        for step in (-1, 1):
            beside = number + step
            while first <= beside < len(texts) and _STATEMENT_PART.search(texts[beside]):
                matches[beside] = True
                beside += step
    return matches


def bylines(texts: list[str]) -> list[bool]:
    """Which of the first lines say when and by whom an article was published, and no more.

    Lines with one label, such as that of the author, must stand beside another one: some authors
    name themselves in their text. Where days head parts of the text, as in diaries and lists of
    changes, none is a byline.

    Args:
        texts: chosen lines of an article.

    >>> bylines(["2025-03-12 10:20 来源：某报", "三月以来，雨水多了起来。"])
    [True, False]
    """
    grades = [0] * (len(texts) + 2)
    for number, text in enumerate(texts[:N_FIRST_LINES], 1):
        if len(text) > _MAX_BYLINE_CHARS:
            break
        grades[number] = _byline_grade(text)
    if max(grades) > 1:
        behind = grades.index(0, grades.index(2))  # where the first bylines end
        if any(map(_is_day, texts[behind:])):
            return [False] * len(texts)
    return [
        grade > 1 or (grade == 1 and before + behind > 0)
        for before, grade, behind in zip(grades, grades[1:-1], grades[2:], strict=False)
    ]


def _is_day(text: str) -> bool:
    """Whether a line is a date without a time of day, and hardly more."""
    is_short = len(text) <= _MAX_BYLINE_CHARS and _YEAR.search(text) is not None
    return is_short and not _CLOCK.search(text) and _byline_grade(text) > 1


def _byline_grade(text: str) -> int:
    """How much a line looks like a byline: 0 not at all, 1 if others around do, 2 by itself."""
    if _NO_BYLINE.search(text):
        return 0
    if _YEAR.search(text) and (_ONLY_DATED.match(text) or _BY_WHOM.match(text)):
        return 2
    others, n_dates = _DATE.subn(" ", text)
    others, n_parts = _BYLINE.subn(" ", others)
    n_chars = sum(char.isalpha() for char in others)
    if n_dates:
        return 2 * (n_dates == 1 and n_chars <= _MAX_NAMES_CHARS)
    label = _LABELED.match(text) if n_chars <= _MAX_NAME_CHARS_ALONE else None
    if label is None or _REPORTER.match(text):
        return 0
    is_clear = n_parts > 1 or label["source"] is not None
    return 2 if is_clear and not _OF_TIME.match(text) else 1


def notices(texts: list[str], title: str, *, is_thread: bool = False) -> list[bool]:
    """Which lines are notices; none on a page whose title says that it is about such things.

    Args:
        texts: chosen lines.
        title: title of the page.
        is_thread: whether they are posts, which may be as short as a button.
    """
    matches = site_statements(texts, title)
    whole = "\n".join(texts)  # one search a word for most pages
    if any(word in whole for word in _SHOP_WORDS):
        matches = [
            is_match or (len(text) <= MAX_STATEMENT_CHARS and _SHOP.search(text) is not None)
            for is_match, text in zip(matches, texts, strict=True)
        ]
    if _POST_WORD.search(whole):
        matches = [
            is_match or _is_of_post(text) for is_match, text in zip(matches, texts, strict=True)
        ]
    if _ON_THIS_SERVICE in whole:
        matches = [
            is_match or _PURPOSE.match(text) is not None
            for is_match, text in zip(matches, texts, strict=True)
        ]
    for number, text in enumerate(texts):
        if not matches[number] and len(text) <= _MAX_POST_CHARS:
            n_left = len(texts) - number
            matches[number] = _is_beside_text(text, n_left, is_thread=is_thread)
    n_below = _n_below_rights(texts)
    matches[len(texts) - n_below :] = [True] * n_below
    words = _words_in(whole)
    if not words or _ABOUT.search(title):
        return matches
    return [
        is_match or (any(word in text for word in words) and is_notice(text))
        for is_match, text in zip(matches, texts, strict=True)
    ]


def _n_below_rights(texts: list[str]) -> int:
    """How many of the last lines stand below one that says whose a site is: its address."""
    for n_below in range(min(N_LAST_LINES, len(texts) - 1)):
        text = texts[len(texts) - 1 - n_below]
        if _RIGHTS.match(text):
            return n_below
        if len(text) > _MAX_ADDRESS_CHARS or text.endswith(_SENTENCE_ENDS):
            break
    return 0


def _is_beside_text(text: str, n_left: int, *, is_thread: bool) -> bool:
    """Whether a line is of what stands below a text: buttons, editors, neighbors, whose a site is.

    Args:
        text: the line.
        n_left: number of lines from this one to the end.
        is_thread: whether the text is posts, which may be as short as buttons.
    """
    is_last = n_left <= N_LAST_LINES
    if _READING.match(text) or (len(text) < _MAX_MORE_CHARS and _MORE.match(text)):
        return True
    if is_last and _RIGHTS.match(text):
        return True
    if is_thread:
        return False
    if text[:1] in _ACTION_STARTS or text[1:2] in _ACTION_STARTS:
        n_chars = sum(map(str.isalpha, text))
        if _MIN_ACTIONS_CHARS <= n_chars <= _MAX_ACTIONS_CHARS and _ACTIONS.match(text):
            return is_last or _ONE_ACTION.match(text) is None
    return is_last and (
        _ASKED.match(text) is not None
        or _RETRIEVED.fullmatch(text) is not None
        or _BESIDE.match(text) is not None
        or (n_left <= N_CREDIT_LINES and _CREDIT.match(text) is not None)
    )


def _is_of_post(text: str) -> bool:
    return (
        len(text) <= _MAX_POST_CHARS
        and _POST_WORD.search(text) is not None
        and _OF_POST.match(text) is not None
    )
