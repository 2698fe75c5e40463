"""Words for an error, and for a service that did not answer, in other languages than English.

Benchmarks asked in another language have tools that answer in it, too.
"""

import re

ERROR_NAMES = (
    "fehler|fehlermeldung|erreur|errore|erro|fout|fel|feil|fejl|virhe|błąd|chyba|hiba|eroare|greška|грешка|ошибка"
    "|помилка|σφάλμα|hata|lỗi|kesalahan|ralat|خطأ|שגיאה|त्रुटि|ข้อผิดพลาด|错误|錯誤|エラー|오류"
)
"""The word under which, or with which, an output tells of an error; lower case."""

TIME_OUTS = (
    r"zeitüberschreitung|délai\s(?:d.attente\s)?(?:dépassé|expiré)|tiempo\sde\sespera\s(?:agotado|excedido)"
    r"|tempo\s(?:limite\s)?(?:esgotado|scaduto|excedido)|przekroczono\s(?:limit\s)?czas|zaman\saşımı"
    r"|превышено\sвремя|время\sожидания\sистекло|(?:连接|请求|連線|請求)?(?:超时|超時|逾時)|タイムアウト|시간\s?초과"
)
"""How an output begins that only says that the time ran out; lower case."""

_NO_ANSWER = (
    # German, Dutch, Swedish, Norwegian and Danish
    r"zeitüberschreitung|zeitlimit überschritten|antwortet nicht|verbindung .{0,20}(abgelehnt|unterbrochen|verweigert)",
    r"(dienst|server|service|schnittstelle|datenbank|system)\w* .{0,30}nicht (erreichbar|verfügbar)",
    r"reageert niet|verbinding (geweigerd|verbroken)|dienst (is )?niet (beschikbaar|bereikbaar)",
    r"svarar inte|svarer ikke|tidsgränsen .{0,20}överskr|tjänsten är inte tillgänglig|tidsavbrudd",
    # French, Spanish, Portuguese, Italian and Romanian
    r"délai .{0,20}(dépassé|expiré)|ne répond pas|service .{0,20}indisponible|connexion (refusée|interrompue|perdue)",
    r"tiempo de espera .{0,20}(agotado|excedido|superado)|no responde|servicio .{0,20}no (está )?disponible",
    r"conexión (rechazada|perdida|interrumpida)|conexão (recusada|perdida|encerrada)",
    r"connessione (rifiutata|interrotta)|serviciu .{0,20}indisponibil",
    r"tempo (limite |de espera )?.{0,10}(esgotado|excedido)|não responde|serviço .{0,20}indisponível",
    r"tempo (di attesa )?scaduto|non risponde|servizio .{0,20}non (è )?disponibile|nu răspunde",
    # Polish, Czech, Hungarian, Finnish and Turkish
    r"przekroczono (limit )?czas|nie odpowiada|usługa .{0,20}niedostępna|odmowa połączenia|vypršel časový limit",
    r"neodpovídá|služba .{0,20}nedostupná|időtúllépés|nem válaszol|aikakatkaisu|ei vastaa|zaman aşımı|yanıt vermiyor",
    # Russian, Ukrainian, Greek, Arabic, Hebrew and Hindi
    r"время ожидания .{0,20}(истекло|превышено)|превышено время|не отвечает|сервис .{0,20}недоступен|не відповідає",
    r"соединение (разорвано|отклонено|сброшено)|δεν ανταποκρίνεται|انتهت (ال)?مهلة|الخدمة غير متاحة|समय समाप्त",
    # Chinese, Japanese, Korean, Vietnamese and Indonesian
    r"(连接|連線|请求|請求|响应)?(超时|超時|逾時)|(服务|服務).{0,6}(不可用|無法使用)|(无|無|没有|沒有)(响应|回應)|连接被(拒绝|重置)",
    r"タイムアウト|応答(が|し)(ありません|ない|ません)|接続が(拒否|切断)|サービスを利用できません",
    r"시간 ?초과|응답(하지|이) (않|없)|서비스를 (사용|이용)할 수 없|연결이 (거부|끊)",
    r"hết thời gian|không phản hồi|waktu (tunggu )?habis|tidak merespons",
)
_SILENT = re.compile("|".join(f"(?:{pattern})" for pattern in _NO_ANSWER))
_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})")


def gave_no_answer(text: str) -> bool:
    """Whether a text says, in another language than English, that a service did not answer in time or at all."""
    plain = _ESCAPE.sub(lambda found: chr(int(found[1], 16)), text) if "\\u" in text else text
    return _SILENT.search(plain.lower()) is not None
