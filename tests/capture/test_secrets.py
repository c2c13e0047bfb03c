import base64
import json
import time
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firsthand.capture.secrets import mask, may_hold

# Made-up secrets, put together here so that no scanner takes this file for a leak.
MIX = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0fL" * 8
HEX = "0123456789abcdef" * 8
CAPS = "QRSTUVWX2345ABCD"


def b64(value):
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


JWT = ".".join([b64({"alg": "HS256", "typ": "JWT"}), b64({"sub": "ana"}), MIX[:43]])


def key_block(kind, newline="\n", end=True):
    lines = [f"-----BEGIN {kind}PRIVATE" + " KEY-----", MIX[:64], MIX[64:128]]
    return newline.join(lines + ([f"-----END {kind}PRIVATE" + " KEY-----"] if end else []))


SECRETS = [
    ("aws_access_key", "AKIA" + CAPS),
    ("aws_access_key", "ASIA" + "QRSTUVWXYZABCDEF"),
    ("github_token", "ghp_" + MIX[:36]),
    ("github_token", "gho_" + MIX[:36]),
    ("github_token", "ghs_" + MIX[:40]),
    ("github_token", "github_pat_" + MIX[:22] + "_" + MIX[:59]),
    ("gitlab_token", "glpat-" + MIX[:20]),
    ("gitlab_token", "glpat-" + "abcdefghijKLMNOPQRST"),
    ("gitlab_token", "gldt-" + MIX[:20]),
    ("gitlab_token", "glpat-" + MIX[:27] + ".01." + "0a1b2c3d4"),
    ("slack_token", "xoxb-" + "123456789012-1234567890123-" + MIX[:24]),
    ("slack_token", "xoxp-" + "123456789012-123456789012-123456789012-" + HEX[:32]),
    ("slack_token", "xapp-" + "1-A0123456789-1234567890123-" + HEX[:64]),
    ("slack_webhook", "https://hooks.slack.com/" + "services/T0123ABCD/B0123ABCD/" + MIX[:24]),
    ("stripe_key", "sk_" + "live_" + MIX[:24]),
    ("stripe_key", "rk_" + "test_" + MIX[:99]),
    ("stripe_key", "whsec_" + MIX[:32]),
    ("openai_key", "sk-" + MIX[:20] + "T3Blbk" + "FJ" + MIX[:20]),
    ("openai_key", "sk-proj-" + MIX[:74] + "T3Blbk" + "FJ" + MIX[:74]),
    ("openai_key", "sk-proj-" + MIX[:100]),
    ("openai_key", "sk-svcacct-" + MIX[:60]),
    ("anthropic_key", "sk-ant-" + "api03-" + MIX[:93] + "AA"),
    ("anthropic_key", "sk-ant-" + "oat01-" + MIX[:86]),
    ("google_key", "AIza" + MIX[:35]),
    ("google_key", "AIza" + "SyQwertyuiopasdfghjklzxcvbnmQwertyu"),
    ("google_token", "GOCSPX-" + MIX[:28]),
    ("google_token", "ya29." + MIX[:60]),
    ("npm_token", "npm_" + MIX[:36]),
    ("pypi_token", "pypi-" + "AgEIcHlwaS5vcmc" + MIX[:100]),
    ("pypi_token", "pypi-" + "AgENdGVzdC5weXBpLm9yZw" + MIX[:100]),
    ("huggingface_token", "hf_" + "abcdefghijklmnopqrstuvwxyzABCDEFGH"),
    ("sendgrid_key", "SG." + MIX[:22] + "." + MIX[:43]),
    ("digitalocean_token", "dop" + "_v1_" + HEX[:64]),
    ("telegram_token", "123456789" + ":AA" + MIX[:33]),
    ("azure_storage_key", "AccountKey=" + MIX[:86] + "=="),
    ("jwt", JWT),
    ("private_key", key_block("RSA ")),
    ("private_key", key_block("")),
    ("private_key", key_block("OPENSSH ")),
    ("private_key", key_block("EC ", newline="\\n")),
    ("private_key", key_block("ENCRYPTED ", end=False)),
    ("private_key", key_block("PGP ").replace("KEY-", "KEY BLOCK-")),
]
# What stands around the secret stays: the text, the type, and the secret inside it.
INSIDE = [
    ("url_password", "postgres://app:{}@db.example.com:5432/app", "hunter2"),
    ("url_password", "https://ana:{}@example.com/x?y=z", "s3cr3t!"),
    ("url_password", "redis://:{}@localhost:6379", "letmein"),
    ("url_password", "git clone https://x-access:{}@github.com/a/b.git", "ab12cd34"),
    ("password", 'password = "{}"', "hunter2hunter2"),
    ("password", "DB_PASSWORD='{}'", "c0rrect-h0rse"),
    ("password", '{{"api_key": "{}"}}', MIX[:24]),
    ("password", 'client_secret: "{}"', "Zx9-qw8-er7-ty6"),
    ("password", 'AUTH_TOKEN => "{}"', HEX[:32]),
    ("aws_secret_key", "aws_secret_access_key = {}", MIX[:38] + "/+"),
    ("aws_secret_key", 'AWS_SECRET_ACCESS_KEY="{}"', MIX[:40]),
    ("aws_secret_key", '"SecretAccessKey": "{}"', MIX[:40]),
]
INSIDE += [
    ("password", "password: {}", "hunter22pass"),
    ("password", "Password: {}.", "hunter22pass"),
    ("password", "api_key: {}", "abcdef1234567890abcdef"),
    ("password", "The API key: {}, keep it", "abcdef1234567890abcdef"),
    ("password", "mysql -u root --password={} shop", "hunter22pass"),
    ("password", "the DB_PASSWORD={} is set", "hunter22pass"),
    ("password", "curl 'https://example.com/?access_token={}&page=2'", HEX[:20]),
    ("password", "GITLAB_TOKEN = {}", "x9Kq2Lm4Zt8w"),
    ("password", "PGPASSWORD={} psql -h db shop", "hunter22pass"),
    ("password", "PGPASSWORD={} psql -h db shop", "hunter2"),
    ("password", "run it with MYSQL_PWD={}", "ocelot99"),
    ("password", "The deploy uses SECRET_KEY={} and more", "narwhal-5566-qq"),
    ("password", "DB_PASS={}", "tulip88"),
    ("password", "export ENCRYPTION_KEY={}", "narwhal-5566-qq"),
    ("password", "AWS_ACCESS_KEY={} and a region", "narwhal-5566-qq"),
    ("password", '{{"password": "{}"}}', "tulip88"),
    ("password", "run it with DB_PASSWORD='{}' please", "hun ter"),
    ("password", "mysql -u root --password {} shop", "hunter22pass"),
    ("password", "run it with DB_PASSWORD='{}' please", "hunter 2 hunter"),
    ("password", 'export MYSQL_PWD="{}"', "correct horse battery"),
    ("password", 'STRIPE_SECRET="{}" make deploy', "correcthorsebattery"),
    ("password", "PGPASSWORD='{}' psql", "hunter two three"),
    ("basic_credentials", "Authorization: Basic {}", base64.b64encode(b"user:passw0rd").decode()),
    ("basic_credentials", "curl -H 'authorization: basic {}' x", base64.b64encode(b"ana:hunter22").decode()),
    ("basic_credentials", '{{"Authorization": "Basic {}"}}', base64.b64encode(b"user:pass").decode()),
]
DISGUISED = [
    ("aws_access_key", "AKIA\u200bQRSTUVWX2345ABCD"),
    ("aws_access_key", "A\u2060K\ufeffI\u00adA" + CAPS),
    ("aws_access_key", "".join(chr(ord(c) + 0xFEE0) for c in "AKIA" + CAPS)),
    ("aws_access_key", "\uff21KIA" + CAPS),
    ("github_token", "ghp\u200d_" + MIX[:36]),
]
PROSE = [line for line in """
the password: see the vault
token: the unit of text
password policy: 12 characters
The password: it is in the vault, ask Noor.
password: ask Ben before Friday
Password: none needed since 2026.
password: 12-character minimum
password: at least 12 characters, 2 of them digits
password: 24-hour rotation from May
password: 2026-03-09T10:00Z was the last reset
password: AES-256-GCM
password: sha-256
password: bcrypt with cost 12
passphrase: four-random-words are enough
passphrase: correct horse battery staple
The passphrase: you know which one.
api key: generated by the portal
API key: version-2 only
api_key: string, required
api_key: config.keys.primary2
api_key: settings.production
API key: see docs/setup.md
api key: src/keys/v2/readme.md
api-key: rotate-quarterly
Which API key: the old one or the new one?
client secret: stored in 1Password
client_secret: required for OAuth2
client secret: rotated on 2026-05-01
secret key: a term from cryptography
secret_key: env.SECRET_KEY_V2
access token: expires after 3600 seconds
access token: OAuth2
access_token: string
access_token=None
auth token: JWT, RS256
auth_token: bearer-type
refresh_token: rotate-on-use
The token: a word or a piece of one.
tokens: 4096 per request
token: GPT-4 counts differently
token=100 tokens per minute
max_tokens=4096
max_token: 128000
secret: nobody knows
secret: the cake needs 2 eggs
The secret: 3 hours of rest
top_secret: level-5-clearance
The key: practise every day.
key: value pairs
key=value1234
primary_key: user_id
foreign_key=orders.customer_id
public key: ed25519
ssh key: id_ed25519
pwd: /home/ana/projects/crumb2
the shell says PWD=/var/lib/postgresql/16 now
the shell says PWD="/home/ana/my projects" now
PWD='C:\\Users\\ana\\work' on the other machine
DB_PASSWORD="${SECRET_FROM_VAULT}"
DB_PASSWORD="<your password here>"
the secret="a cake with 2 eggs" is out
pwd: ~/work/v2
password=getpass(prompt="Password: ")
password: ${DB_PASSWORD}
password: {{ vault_db_password }}
password=<your password here>
password: ****
password: changeme123
passwd: compat systemd
password-manager: keepass2
Authorization: Basic is not enough here
Authorization: Basic authentication
basic authorization: required
Authorization: Bearer tokens only
The basic plan costs 12 a month; authorization: by phone.
""".splitlines() if line]  # fmt: skip
NEAR_MISSES = [
    "d41d8cd98f00b204e9800998ecf8427e",
    "da39a3ee5e6b4b0d3255bfef95601890afd80709",
    "sha256:" + HEX[:64],
    "sha512-" + MIX[:86] + "==",
    "550e8400-e29b-41d4-a716-446655440000",
    "commit ed50b10 and ed50b10a786a1b2c3d4e5f60718293a4b5c6d7e8",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAgGBgcGBQgHBwcJCQgKDBQNDAsLDBkSEw8UHRofHh0aHBwgJC4nICIsIxwcKDcpLDAxNDQ0Hyc5PTgyPC4zNDL/",
    "the price is $1,299.99 or €1.199,00",
    "+49 30 901820, (555) 123-4567, 555-1234",
    "4111 1111 1111 1111",
    "DE89 3704 0044 0532 0130 00",
    "978-3-16-148410-0",
    "192.168.0.1:8080 and [2001:db8::1]:443",
    "2026-03-04T10:00:00.000Z",
    "v1.2.3-rc.1+build.20260304",
    "my password is on the note",
    "the password: it is hidden under the mat",
    "password = getpass()",
    'password = os.environ["DB_PASSWORD"]',
    'password="password"',
    'password = "changeme1"',
    'password = "<your-password-1>"',
    'password = "${DB_PASSWORD1}"',
    'password = "{{ vault.password1 }}"',
    'password = "%(password1)s"',
    'password: "********"',
    'password = "xxxxxxxx1"',
    'password_field = "user_input_12345"',
    'password_hint = "blue1 whale2"',
    '"password": "string"',
    '"password": "user_password2"',
    'api_key = "YOUR_API_KEY_1"',
    'api_key = get_key("prod1")',
    'api_key: "my-api-key-2"',
    'secret_key = "development"',
    'access_token = "https://example.com/token1"',
    'auth_token = "None"',
    'client_secret="client-secret-1"',
    'key = "550e8400-e29b-41d4-a716-446655440000"',
    'token = "wordpiece30522"',
    "monkey = 'banana12345'",
    "https://example.com/a:b@c",
    "https://example.com:8080/path@v2",
    "http://localhost:3000/@ana",
    "https://medium.com/@ana/a-title-1a2b3c4d5e6f",
    "postgres://user:password@localhost/db",
    "postgres://user:<password>@localhost/db",
    "postgres://user:${PASSWORD}@localhost/db",
    "postgres://user:***@localhost/db",
    "mongodb://USER:PASS@host",
    "ssh://git@github.com:22/a/b.git",
    "git@github.com:a/b.git",
    "mailto:ana@example.com",
    "call me at sip:1234@example.com",
    "sk-learn, sk-image and sk-proj-name",
    "sk-proj-" + "a-long-kebab-case-name-that-a-person-wrote-down",
    "sk_live_ is the prefix of a key",
    "ghp_short",
    "gh" + "p_" + MIX[:35],
    "my_gh" + "p_" + MIX[:36],
    "npm_config_registry and npm_package_version",
    "npm_" + "lifecycle_event_of_a_package_manager",
    "hf_hub_download_of_a_rather_long_model_name",
    "pypi-server and pypi-mirror",
    "AKIA is how such keys begin",
    "ASIAN" + "AMERICANHISTORYMONTH",
    "PAKIA" + CAPS,
    "xoxo from Berlin, xoxo-2026",
    "eyJust.eyJoke.and-nothing-more-than-that",
    "eyJhbGciOiJub25lIn0",
    "eyJ" + MIX[:20] + ".eyJ" + MIX[:20] + "." + MIX[:20],
    "glpat-an-ordinary-branch-name-of-ours",
    "AIza short",
    "SG.com/news",
    "ya29.short",
    "-----BEGIN RSA PRIVATE" + " KEY----- is how a key begins",
    "-----BEGIN PUBLIC KEY-----\n" + MIX[:128] + "\n-----END PUBLIC KEY-----",
    "-----BEGIN CERTIFICATE-----\n" + MIX[:128] + "\n-----END CERTIFICATE-----",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + MIX[:43],
    "supercalifragilisticexpialidocious",
    "Donaudampfschifffahrtsgesellschaftskapitän",
    "com.example.service.internal.ConfigurationFactoryBean",
    "pk_" + "live_" + MIX[:24],
    "dQw4w9WgXcQ",
    "0x" + HEX[:40],
    "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq",
    "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWKPDdG",
    "1234567890:ABCDEF",
    "AccountKey=abc",
    "SharedKey aws_secret_access_key is unset",
]


@pytest.mark.parametrize(("kind", "secret"), SECRETS)
def test_a_secret_of_a_known_shape_is_masked_and_its_place_told(kind, secret):
    text = f"use {secret} for it"
    assert mask(text) == (f"use [masked: {kind}] for it", ((kind, 4, 4 + len(secret)),))
    assert mask(secret).text == f"[masked: {kind}]"


@pytest.mark.parametrize(("kind", "around", "secret"), INSIDE)
def test_only_the_secret_part_of_an_address_or_assignment_is_masked(kind, around, secret):
    result = mask(around.format(secret))
    assert result.text == around.format(f"[masked: {kind}]")
    assert around.format(secret)[result.findings[0].start : result.findings[0].end] == secret


@pytest.mark.parametrize("text", NEAR_MISSES)
def test_what_only_resembles_a_secret_stays(text):
    assert mask(text) == (text, ())
    assert mask(f"{text} npm_{MIX[:36]}").text == f"{text} [masked: npm_token]"


def test_there_are_enough_near_misses():
    assert len(set(NEAR_MISSES)) >= 60


def test_several_secrets_are_told_in_order():
    result = mask(f"a {SECRETS[2][1]} b {SECRETS[0][1]} c {JWT}")
    assert result.text == "a [masked: github_token] b [masked: aws_access_key] c [masked: jwt]"
    assert [found.type for found in result.findings] == ["github_token", "aws_access_key", "jwt"]


def test_a_secret_inside_another_is_masked_with_it():
    result = mask(f'password = "{SECRETS[2][1]}"')
    assert result.text == 'password = "[masked: password]"' or "github_token" in result.text
    assert MIX[:36] not in result.text


def test_findings_hold_no_content():
    result = mask(f"use {JWT}")
    assert JWT not in repr(result.findings)
    assert "jwt" in repr(result.findings)


PIECES = [secret for _, secret in SECRETS] + [around.format(secret) for _, around, secret in INSIDE] + NEAR_MISSES


@given(
    st.lists(
        st.sampled_from([*PIECES, " ", '"', "@", ":", "/", "=", "-", "_", "x", "7", "\n", "[masked: jwt]"]), max_size=8
    )
)
def test_masking_twice_changes_nothing_more(pieces):
    once = mask("".join(pieces)).text
    assert mask(once) == (once, ())


@given(st.lists(st.sampled_from(PIECES), max_size=6))
def test_the_findings_lead_from_the_text_to_its_masked_form(pieces):
    text = " ".join(pieces)
    rebuilt, position = "", 0
    for kind, start, end in mask(text).findings:
        assert start >= position
        rebuilt += text[position:start] + f"[masked: {kind}]"
        position = end
    assert rebuilt + text[position:] == mask(text).text


@pytest.mark.parametrize(
    "piece", ["eyJ-", "a_", "sk-proj-", "://a:", "password='", "glpat-", 'api_key = "abcdefghijk-', "AKIA" + CAPS]
)
def test_a_hostile_text_of_full_length_takes_no_longer_than_a_breath(piece):
    began = time.process_time()
    mask((piece * 65_536)[:65_536] + " AKIA T3BlbkFJ PRIVATE KEY 1")
    mask('api_key = "' + "a" * 255 + '!"')
    assert time.process_time() - began < 2


@pytest.mark.parametrize(("kind", "secret"), DISGUISED)
def test_a_secret_that_is_disguised_is_masked_whole_and_its_place_is_that_in_the_text(kind, secret):
    text = f"日本語： {secret}, keep \u200bit"
    assert may_hold(text)
    masked = mask(text)
    assert masked.text == f"日本語： [masked: {kind}], keep \u200bit"
    ((found, start, end),) = masked.findings
    assert (found, text[start:end]) == (kind, secret)
    assert mask(masked.text) == (masked.text, ())


def test_no_ordinary_sentence_is_masked():
    assert len(PROSE) >= 60
    assert [line for line in PROSE if mask(line).findings] == []
    assert mask("\n".join(PROSE)).findings == ()


def test_nothing_of_the_demo_conversation_is_masked():
    lines = files("firsthand.data").joinpath("demo_conversation.jsonl").read_text(encoding="utf-8").splitlines()
    said = [json.loads(line)["text"] for line in lines]
    assert said
    assert [text for text in said if mask(text).findings] == []


def test_wide_letters_that_hide_nothing_stay_as_they_are():
    for text in ("ＡＢＣ株式会社の１２３", "zero\u200bwidth", "👩\u200d🚀 flies"):
        assert mask(text) == (text, ())
