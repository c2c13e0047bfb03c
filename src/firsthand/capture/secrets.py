"""Masks secrets that are recognisable by their own shape; nothing is guessed from randomness."""

import re
from binascii import Error as BinasciiError
from binascii import a2b_base64
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

import msgspec

from firsthand.vocabulary.patterns import lazy_pattern


class Finding(NamedTuple):
    """The type of a secret and where it stood, in code points of the text before masking; never the secret."""

    type: str
    start: int
    end: int


class Masked(NamedTuple):
    """A text in which each secret reads `[masked: <type>]`."""

    text: str
    findings: tuple[Finding, ...]


class _Detector(NamedTuple):
    type: str
    hints: tuple[str, ...]  # one of them stands in every text that holds such a secret
    pattern: str  # compiled when it is first needed, so that importing this stays cheap
    accepts: Callable[[str], bool] = bool


def _token(kind: str, hints: str, shape: str, accepts: Callable[[str], bool] = bool) -> _Detector:
    """Detect a token that stands alone: no letter, digit or underscore before it, none that would go on after it."""
    pattern = rf"(?<![A-Za-z0-9_])(?P<secret>{shape})(?![A-Za-z0-9_])"
    return _Detector(kind, tuple(hints.split()), pattern, accepts)


def _is_jwt(token: str) -> bool:
    header = token.partition(".")[0].replace("-", "+").replace("_", "/")
    try:
        fields: object = msgspec.json.decode(a2b_base64(header + "=" * (-len(header) % 4)))
    except (BinasciiError, msgspec.DecodeError, UnicodeDecodeError):
        return False
    return isinstance(fields, dict) and "alg" in fields


def _is_no_word(token: str) -> bool:
    """Say whether a token holds capitals or digits, as a name in kebab or snake case does not."""
    return token != token.lower() or any(map(str.isdigit, token))


_STAND_IN: Final = lazy_pattern(
    r"(?i)[<\[{$%*].*|.*(?:\$\{|\{\{|<|\*\*\*|xxx|\.\.\.|…|example|placeholder|change.?me|password|passwd|redacted).*"
    r"|your.*|my.*|pass|pwd|pw|secret|token|user|username|none|null|true|false|dummy|foo|bar|test|hidden|masked"
)


def _is_password(value: str) -> bool:
    return not _STAND_IN.fullmatch(value)


def _is_assigned_secret(value: str) -> bool:
    """Say whether a quoted value is one a person would not write as a word, a name or a call."""
    if not _is_password(value) or re.fullmatch(r"[A-Za-z]+(?:[_./:-][A-Za-z]+)*[_-]?\d{0,3}", value):
        return False
    return any(map(str.isalpha, value)) and any(map(str.isdigit, value)) and not re.search(r"[()\s]|://", value)


_WORDS: Final = r"(?:[A-Za-z]+\d{0,3}|\d{1,4}[A-Za-z]*)"
_ORDINARY: Final = rf"{_WORDS}(?:[_./:@-]{_WORDS})*|\d{{4}}-\d\d-\d\d.*|[~.]?/.*|.*\.[a-z]{{2,4}}"


def _is_bare_secret(value: str) -> bool:
    """Say whether a value without quotes is none of what prose puts after a colon: words, numbers, a date, a file."""
    return _is_assigned_secret(value) and not re.fullmatch(_ORDINARY, value)


def _is_setting(value: str) -> bool:
    """Say whether a quoted value of an environment variable is a secret: it may have spaces, and is no path."""
    return _is_password(value) and not re.match(r"[~.]{0,2}/|[A-Za-z]:\\", value)


def _is_variable(value: str) -> bool:
    """Say whether the value of an environment variable, without quotes, is a secret."""
    digits, letters = any(map(str.isdigit, value)), any(map(str.isalpha, value))
    return digits and letters and _is_setting(value) and not re.search(r"[()]|://", value)


def _is_basic(credentials: str) -> bool:
    try:
        return b":" in a2b_base64(credentials + "=" * (-len(credentials) % 4))
    except BinasciiError:
        return False


_B64: Final = "[A-Za-z0-9+/=]"
_URL_SAFE: Final = "[A-Za-z0-9_-]"
_ALNUM: Final = "[A-Za-z0-9]"
_NAMES: Final = (
    "(?:pg)?password|passwd|pwd|passphrase|api[ _-]?key|client[ _-]?secret|secret[ _-]?key|access[ _-]?token"
    "|auth[ _-]?token"
)
_VARIABLES: Final = f"{_NAMES.upper()}|(?<=_)(?:SECRET|TOKEN|PASS)|(?:ENCRYPTION|PRIVATE|ACCESS|SIGNING)_KEY"

_DETECTORS: Final = (
    _token("aws_access_key", "AKIA ASIA ABIA ACCA", "(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}"),
    _Detector(
        "aws_secret_key",
        ("ecret", "ECRET"),
        rf"(?i:aws_?)?(?i:secret_?access_?key|aws_?secret_?key)[\"']?\s{{0,3}}[:=]\s{{0,3}}[\"']?"
        rf"(?P<secret>{_B64}{{40}})(?!{_B64})",
    ),
    _token("github_token", "ghp_ gho_ ghu_ ghs_ ghr_", rf"gh[pousr]_{_ALNUM}{{36,255}}"),
    _token("github_token", "github_pat_", rf"github_pat_{_ALNUM}{{22}}_{_ALNUM}{{59}}"),
    _token(
        "gitlab_token",
        "glpat- gldt- glrt- glcbt- glptt- glft- glsoat- glagent- glimt- gloas-",
        rf"gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|imt|oas)-{_URL_SAFE}{{20,}}(?:\.[0-9a-z]{{2}}\.[0-9a-z]{{9}})?",
        _is_no_word,
    ),
    _token(
        "slack_token", "xox", r"xox[abeoprs]-(?:\d-)?(?:\d{6,}-)+[A-Za-z0-9-]{10,}|xox[ep]\.xox[bp]-\d-[A-Za-z0-9]{40,}"
    ),
    _token("slack_token", "xapp-", r"xapp-\d-[A-Z0-9]{8,}-\d{8,}-[a-f0-9]{32,}"),
    _token(
        "slack_webhook",
        "hooks.slack.com",
        r"https://hooks\.slack\.com/services/T[A-Z0-9]{6,}/B[A-Z0-9]{6,}/[A-Za-z0-9]{20,}",
    ),
    _token("stripe_key", "sk_live_ sk_test_ rk_live_ rk_test_", rf"[sr]k_(?:live|test)_{_ALNUM}{{16,}}"),
    _token("stripe_key", "whsec_", r"whsec_[A-Za-z0-9+/]{32,}={0,2}"),
    _token(
        "openai_key",
        "T3BlbkFJ",
        rf"sk-(?:(?:proj|svcacct|admin|None)-)?{_URL_SAFE}{{16,200}}T3BlbkFJ{_URL_SAFE}{{16,200}}",
    ),
    _token(
        "openai_key", "sk-proj- sk-svcacct- sk-admin-", rf"sk-(?:proj|svcacct|admin)-{_URL_SAFE}{{40,}}", _is_no_word
    ),
    _token("anthropic_key", "sk-ant-", rf"sk-ant-[a-z]{{3,8}}\d{{2}}-{_URL_SAFE}{{40,}}"),
    _token("google_key", "AIza", rf"AIza{_URL_SAFE}{{35}}"),
    _token("google_token", "GOCSPX-", rf"GOCSPX-{_URL_SAFE}{{28}}"),
    _token("google_token", "ya29.", rf"ya29\.{_URL_SAFE}{{30,}}", _is_no_word),
    _token("npm_token", "npm_", rf"npm_{_ALNUM}{{36}}", _is_no_word),
    _token("pypi_token", "pypi-Ag", rf"pypi-Ag(?:EIcHlwaS5vcmc|ENdGVzdC5weXBpLm9yZw){_URL_SAFE}{{50,}}"),
    _token("huggingface_token", "hf_", r"hf_[A-Za-z]{34}"),
    _token("sendgrid_key", "SG.", rf"SG\.{_URL_SAFE}{{22}}\.{_URL_SAFE}{{43}}"),
    _token("digitalocean_token", "_v1_", r"do[opr]_v1_[a-f0-9]{64}"),
    _token("telegram_token", ":AA", rf"\d{{8,10}}:AA{_URL_SAFE}{{33}}"),
    _token("azure_storage_key", "AccountKey=", r"AccountKey=(?:[A-Za-z0-9+/]{86}==)"),
    _token("jwt", "eyJ", rf"(?<!-)eyJ{_URL_SAFE}{{8,}}\.eyJ{_URL_SAFE}{{4,}}\.{_URL_SAFE}{{16,}}", _is_jwt),
    _Detector(
        "private_key",
        ("PRIVATE KEY",),
        r"(?P<secret>-----BEGIN (?:[A-Z0-9]{2,10} ){0,2}PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-(?!-{4})){32,}?"
        rf"(?:-----END (?:[A-Z0-9]{{2,10}} ){{0,2}}PRIVATE KEY(?: BLOCK)?-----)"
        rf"|-----BEGIN (?:[A-Z0-9]{{2,10}} ){{0,2}}PRIVATE KEY(?: BLOCK)?-----(?:(?:\s|\\[nr])+{_B64}{{20,}})+)",
    ),
    _Detector(
        "url_password",
        ("://",),
        r"\b[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s/?#:@\"'<>]{0,128}:(?P<secret>[^\s/?#@\"'<>]{3,256})@[\w\[]",
        _is_password,
    ),
    _Detector(
        "password",
        ("assw", "ASSW", "pwd", "PWD", "assphrase", "key", "KEY", "Key", "ecret", "ECRET", "oken", "OKEN"),
        rf"(?i)(?<![a-z0-9])(?:[a-z0-9]{{1,20}}[_-]){{0,4}}(?:{_NAMES})[\"']?\s{{0,3}}(?::=|=>|=|:)\s{{0,3}}"
        r"(?P<quote>[\"'])(?P<secret>[^\s\"']{8,256})(?P=quote)",
        _is_assigned_secret,
    ),
    _Detector(
        "password",
        ("assw", "ASSW", "pwd", "PWD", "assphrase", "key", "KEY", "Key", "ecret", "ECRET", "oken", "OKEN"),
        # A line of a settings file or a shell: a name that ends so, an equals sign without spaces, a value without any.
        rf"(?im)^[ \t>]*(?:export[ \t]+)?(?:[a-z0-9]{{1,20}}_){{0,4}}(?:{_NAMES}|secret|token)="
        r"(?P<secret>[^\s\"'$<{(\[][^\s\"'<>]{7,255})[ \t]*$",
        _is_assigned_secret,
    ),
    _Detector(
        "password",
        ("assw", "ASSW", "pwd", "PWD", "assphrase", "key", "KEY", "Key", "ecret", "ECRET", "oken", "OKEN"),
        # Anywhere in a line and without quotes: a name, a colon or an equals sign, and what is no word of prose.
        rf"(?i)(?<![a-z0-9])(?:{_NAMES}|(?<=[_-])(?:secret|token))[ \t]{{0,3}}[:=][ \t]{{0,3}}"
        r"(?P<secret>[^\s\"'`<>\[{(,;&][^\s\"'`<>,;&]{6,254}[^\s\"'`<>,;&.:!?)\]}])",
        _is_bare_secret,
    ),
    _Detector(
        "password",
        ("PASS", "PWD", "KEY", "SECRET", "TOKEN"),
        # An environment variable is set to a quoted string: nobody writes prose like that.
        rf"(?<![A-Za-z0-9])(?:[A-Z0-9]{{1,20}}_){{0,4}}(?:{_VARIABLES})="
        r"(?P<quote>[\"'])(?P<secret>[^\"']{6,256})(?P=quote)",
        _is_setting,
    ),
    _Detector(
        "password",
        ("PASS", "PWD", "KEY", "SECRET", "TOKEN"),
        # The same without quotes, up to a space: a short one is none of prose's words either, where it holds a digit.
        rf"(?<![A-Za-z0-9])(?:[A-Z0-9]{{1,20}}_){{0,4}}(?:{_VARIABLES})="
        r"(?P<secret>[^\s\"'`<>\[{(,;&$][^\s\"'`<>,;&]{4,254}[^\s\"'`<>,;&.:!?)\]}])",
        _is_variable,
    ),
    _Detector(
        "password",
        ("assw", "ASSW", "pwd", "PWD", "assphrase"),
        # Names of passwords alone, quoted as in JSON: six characters are enough.
        r"(?i)(?<![a-z0-9])(?:[a-z0-9]{1,20}[_-]){0,4}(?:(?:pg)?password|passwd|pwd|passphrase)[\"']?\s{0,3}"
        r"(?::=|=>|=|:)\s{0,3}(?P<quote>[\"'])(?P<secret>[^\s\"']{6,256})(?P=quote)",
        _is_variable,
    ),
    _Detector(
        "password",
        ("--password", "--passwd", "--token", "--api-key", "--secret"),
        r"(?<![\w-])--(?:password|passwd|token|api-key|secret)[ =]"
        r"(?P<secret>[^\s\"'`<>\[{(,;&$-][^\s\"'`<>,;&]{4,254})",
        _is_assigned_secret,
    ),
    _Detector(
        "basic_credentials",
        ("asic ", "ASIC "),
        r"(?i)\bauthorization[\"']?[ \t]{0,3}[:=][ \t]{0,3}[\"']?basic[ \t]{1,3}(?P<secret>[a-z0-9+/=]{8,2048})",
        _is_basic,
    ),
    _Detector(
        "bearer_token",
        ("earer ", "EARER "),
        r"(?i)\bauthorization:[ \t]{0,3}bearer[ \t]{1,3}(?P<secret>[A-Za-z0-9._~+/=-]{16,2048})",
        _is_assigned_secret,
    ),
)

_HINTS: Final = tuple((hint, detector) for detector in _DETECTORS for hint in detector.hints)
_MARKS: Final = ("_", "-", "")
"""Signs that many hints hold and few texts do, so that such a text is spared the hints."""


def _mark_of(hint: str) -> str:
    return next(mark for mark in _MARKS if mark in hint)


_HINTS_BY_MARK: Final = tuple(
    (mark, tuple(dict.fromkeys(hint for hint, _ in _HINTS if _mark_of(hint) == mark))) for mark in _MARKS
)

# A secret holds a digit, an underscore or a slash; the few kinds short enough to chance on none are named in `mask`.
_ANY_MARK: Final = lazy_pattern("[0-9_/]")


# Characters that nobody sees, and letters as wide as ideographs: a secret written with them is one all the same.
_UNSEEN: Final = "\u00ad\u034f\u180e\u200b-\u200f\u2060-\u2064\ufe00-\ufe0f\ufeff"
_DISGUISE: Final = lazy_pattern(f"[{_UNSEEN}\uff10-\uff19\uff21-\uff3a\uff41-\uff5a]")
_FROM_WIDE: Final = {wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)}


def may_hold(text: str) -> bool:
    """Whether a text, or its JSON, can hold a secret at all: every secret shows a hint of its type, or a disguise."""
    if not text.isascii() and _DISGUISE.search(text):
        return True
    for mark, hints in _HINTS_BY_MARK:
        if mark in text:
            for hint in hints:  # a generator costs as much as the search
                if hint in text:
                    return True
    return False


def mask(text: str) -> Masked:
    """Return the text with every secret of a known type masked, and where they were; masking twice changes nothing."""
    if text.isascii() or not _DISGUISE.search(text):
        return _masked(text, _secrets(text))
    seen = [at for at, char in enumerate(text) if not _DISGUISE.match(char) or ord(char) in _FROM_WIDE]
    plain = "".join(text[at] for at in seen).translate(_FROM_WIDE)
    return _masked(text, [Finding(f.type, seen[f.start], seen[f.end - 1] + 1) for f in _secrets(plain)])


def _secrets(text: str) -> list[Finding]:
    """Return all secrets in order, after a look whether there can be any."""
    if not (
        _ANY_MARK.search(text) or "IA" in text or "ACCA" in text or "AIz" in text or "GOCSP" in text or "glp" in text
        or "asic " in text or "ASIC " in text or "PASS" in text
    ):  # fmt: skip
        return []
    return _find(text)


def _masked(text: str, findings: list[Finding]) -> Masked:
    if not findings:
        return Masked(text, ())
    pieces: list[str] = []
    position = 0
    for found in findings:
        pieces += text[position : found.start], f"[masked: {found.type}]"
        position = found.end
    return Masked("".join(pieces) + text[position:], tuple(findings))


def _find(text: str) -> list[Finding]:
    """Return all secrets in order; a found one is blanked and the rest searched again, since it may have hidden one."""
    findings: list[Finding] = []
    while fresh := _apart(sorted(_candidates(text), key=lambda found: (found.start, -found.end))):
        findings += fresh
        for found in fresh:
            blank = "[" + " " * (found.end - found.start - 2) + "]"
            text = text[: found.start] + blank + text[found.end :]
    return sorted(findings, key=lambda found: found.start)


def _candidates(text: str) -> Iterator[Finding]:
    for detector in dict.fromkeys(detector for hint, detector in _HINTS if hint in text):
        for found in re.finditer(detector.pattern, text):
            if detector.accepts(found["secret"]):
                yield Finding(detector.type, *found.span("secret"))


def _apart(ordered: list[Finding]) -> list[Finding]:
    """Keep the first of any that overlap."""
    kept: list[Finding] = []
    for found in ordered:
        if not kept or found.start >= kept[-1].end:
            kept.append(found)
    return kept
