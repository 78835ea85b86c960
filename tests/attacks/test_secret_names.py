"""P16: which names identify a secret, in which forms of code and text, and in the environment."""

from __future__ import annotations

import re
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aiserver.redact import (
    Vault,
    redact,
    redaction_mark,
    register_secrets,
    secrets_in_environment,
)
from aiserver.redact.texts import REGISTERED

from ..effort import at_most
from ..examples import examples

PASSWORD = "Tr0ub4dor3x"
HEX = "0f3a9b27c1d84e56a0b3f7d92c6e1845"
BASE64 = "aB3dE5fG7hI9kL1mN3pQ/rS7tU9vW1xY3zA5bC7dE9f"
NAMES = {
    "DB_PASS = '{}'": PASSWORD,
    "os.environ['KAGGLE_KEY'] = '{}'": HEX,
    '{{"username":"bob","key":"{}"}}': HEX,
    "wandb.login(key='{}')": HEX,
    "spark.conf.set('fs.s3a.secret.key', '{}')": BASE64,
    "spark.conf.set('fs.azure.account.key.x.dfs.core.windows.net', '{}')": BASE64 + "==",
    "'Endpoint=sb://n.example.net/;SharedAccessKeyName=Root;SharedAccessKey={}'": BASE64 + "=",
    "AZURE_STORAGE_KEY = '{}'": BASE64 + "==",
    "connect(user='b', pass_='{}')": PASSWORD,
    "smtpPass = '{}'": PASSWORD,
    "SECRET_KEY_BASE = '{}'": HEX,
    "{{'Authorization': '{}'}}": HEX,
}
FORMS = {
    'password = "{}"': "Tr0ub'4dor3x",
    "password = '{}'": "correct horse battery 9",
    '{{"password": "{}"}}': r"Tr0ub\"4dor3x",
    "psycopg2.connect('host=db dbname=shop user=bob password={}')": PASSWORD,
    "dsn = 'password={} host=db'": PASSWORD,
    "docker run -e DB_PASSWORD={} postgres": PASSWORD,
    "cur.execute(\"ALTER USER bob WITH PASSWORD '{}'\")": "sunshine",
    "CREATE USER bob IDENTIFIED BY '{}';": "sunshine",
    "pd.read_csv('https://x.example.net/c/f.csv?sp=r&sig={}')": BASE64.replace("/", "%2F") + "%3D",
    "headers = {{'Authorization': 'token {}'}}": HEX,
    "!curl -H 'apikey: {}' https://x.example.net": HEX,
    "[default]\naws_secret_access_key = {}": BASE64,
    "[db]\npassword = {}\nuser = bob": PASSWORD,
    "db_password={}": PASSWORD,
    # The source of a cell in the file of a notebook, which may be mentioned.
    '"password = \\"{}\\"\\n",': PASSWORD,
    '"os.environ[\\"API_KEY\\"] = \\"{}\\"\\n",': HEX,
    '"connect(password=\\"{}\\")\\n",': PASSWORD,
    '"requests.get(u, auth=(\\"bob\\", \\"{}\\"))\\n",': PASSWORD,
    '"server.login(\\"bob\\", \\"{}\\")",': PASSWORD,
    '!curl -d "{{\\"password\\": \\"{}\\"}}" https://x.example.net': PASSWORD,
    'password                        = "{}"': PASSWORD,
    "[db]\npassword                        = {}": PASSWORD,
    "# password: {}": PASSWORD,
    "x = 1  # db password = {}": PASSWORD,
    "SELECT 1 -- password: {}": PASSWORD,
    'pyodbc.connect("Server=x; Uid=bob; Password={};")': PASSWORD,
    'pyodbc.connect("Password={};Server=x")': PASSWORD,
    'pyodbc.connect("Server=x;Password = {};")': PASSWORD,
    'Elasticsearch(u, basic_auth=("elastic", "{}"))': PASSWORD,
    "!docker run --env=DB_PASSWORD={} postgres": PASSWORD,
    "!kubectl create secret generic s --from-literal=password={}": PASSWORD,
}
FORMATS = {
    "databricks-token": f"dapi{HEX}-2",
    "langsmith-key": f"lsv2_pt_{HEX}_0f3a9b27c1",
    "perplexity-key": f"pplx-{HEX}0f3a9b27",
    "tavily-key": "tvly-dev-aB3dE5fG7hI9kL1mN3pQ",
    "pinecone-key": f"pcsk_{HEX}_{HEX}",
    "replicate-token": "r8_" + "aB3d" * 9 + "x",
    "google-secret": "GOCSPX-aB3dE5fG7hI9kL1mN3pQ",
    "docker-token": "dckr_pat_aB3dE5fG7hI9kL1mN3pQ",
    "slack-webhook": "hooks.slack.com/services/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",
}
ORDINARY = """
df.sort_values(key='value'); sort_key = 'a1b2c3d4'; primary_key='id'; max_tokens='4096'
d = {"primary_key": "user_id_2", "foreign_key": "6f1c0f0e-9a0b-4a7e-8d52-0c9f3f1f0a11"}
s3.get_object(Bucket=b, Key="exports/2024/part-0001-of-0012.csv"); token_type="jwt-2-for-2026"
cache_key = "model_v2/resnet50/run17"; sort_key='resnet50_imagenet21k_ft1k_224'
key = "run_20260101T120000Z"; key="sha256:short"
GPG_KEY = "E3FF2839C048B25C084DEBE9B26995E310250568"
public_key = "0f3a9b27c1d84e56a0b3f7d92c6e1845"; keyboard = "0f3a9b27c1d84e56a0b3f7d92c6e1845"
signature = "0f3a9b27c1d84e56a0b3f7d92c6e1845"; monkey = "0f3a9b27c1d84e56a0b3f7d92c6e1845"
compass = "north12"; bypass = 'route66'; {"pass": "yes"}; first_pass = 'abc'; pwd = "src"
password = "Please enter 8 characters or more"; {"password": "Your password is too short (8)."}
query = "password='" + name1 + "' and user='" + name2 + "'"; text = "password='"+pw1+"'"
print("password: ", x1, "token: ", y2); print("token=" + str(t1)); "password " + x1 + " 2"
print("password", "is wrong 2"); Url('http', 'username:password', 'host.com', 80)
MAGIC_PASSWORD = b"\\x02"
f(user=user1, password=pass12); connect(a=1, password=pass12, b=2); password=pass12
password = pass12
token = tokens_v2 + 1234
api_key = settings.Key2Of2024.x
password = 100_000
db_password = a1.b2
pass `float64` and password `x1y2z3`; identified by `frame1`; "identified by 'node'"
"""


@pytest.mark.parametrize(("around", "value"), [*NAMES.items(), *FORMS.items()])
def test_a_name_identifies_a_secret(around: str, value: str) -> None:
    """P16: the whole secret is replaced, and nothing else."""
    redacted = redact(around.format(value))
    expected = re.escape(around.format("VALUE")).replace("VALUE", "‹redacted:[a-z]+›")
    assert re.fullmatch(expected, redacted), redacted
    assert redact(redacted) == redacted


@settings(max_examples=examples(300), deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                *(around.format(value) for around, value in (NAMES | FORMS).items()),
                *FORMATS.values(),
                *ORDINARY.splitlines(),
                "postgresql://bob:hunter2@db/x",
                *("password", "token is ", "=", "'", '"', "\n", "\\", "‹redacted:"),
            ]
        )
        | st.text(max_size=5),
        max_size=8,
    ),
    st.booleans(),
)
def test_redaction_is_idempotent_and_a_vault_restores_all(parts: list[str], is_prose: bool) -> None:
    """P16: no mark is replaced by another one."""
    text = " ".join(parts)
    once = redact(text, is_prose=is_prose)
    assert redact(once, is_prose=is_prose) == once
    vault = Vault()
    hidden = vault.hide(text, is_prose=is_prose)
    assert vault.feed(hidden) + vault.finish() == text


@pytest.mark.parametrize(("kind", "key"), FORMATS.items())
def test_a_key_is_recognised_by_its_format(kind: str, key: str) -> None:
    """P16"""
    assert redact(f"use '{key}' here") == f"use '{redaction_mark(kind)}' here"


@pytest.mark.parametrize("line", ORDINARY.strip().splitlines())
def test_ordinary_names_and_values_stay(line: str) -> None:
    """P16: a false positive would damage somebody's code."""
    assert redact(line) == line


@pytest.mark.parametrize("is_prose", [False, True])
def test_a_fingerprint_is_no_key(is_prose: bool) -> None:
    text = "GPG key: E3FF2839C048B25C084DEBE9B26995E310250568"
    assert redact(text, is_prose=is_prose) == text


@patch.dict(REGISTERED, clear=True)
def test_names_in_the_environment_are_those_in_code() -> None:
    """P16"""
    secrets = {
        "PGPASSWORD": "Tr0ub4dor3xLong99",
        "MYSQL_PWD": "Tr0ub4dor3xLong98",
        "DB_PASS": "Tr0ub4dor3xLong97",
        "KAGGLE_KEY": HEX,
        "AZURE_STORAGE_KEY": BASE64,
        "HF_TOKEN_READ": f"{HEX}0f",
    }
    others = {
        "GPG_KEY": "E3FF2839C048B25C084DEBE9B26995E310250568",
        "SORT_KEY": "reports/2024/number12",
        "PWD": "/home/bob/projects/2024",
        "KEYBOARD": "0f3a9b27c1d84e56a0b3f7d92c6e1845",
        "TOKEN_TYPE": "bearer-2024-01-and-more",
    }
    assert secrets_in_environment(secrets | others) == list(secrets.values())
    register_secrets(secrets_in_environment(secrets))
    assert redact("a Tr0ub4dor3xLong97 b") == f"a {redaction_mark('token')} b"


@pytest.mark.parametrize(
    "text",
    [
        "a.",
        "password a",
        "'key:",
        "key=a ",
        "a key='",
        "key='\\'",
        'password="a b ',
        "authorization: a ",
        "PASSWORD '",
        "pass = a\n",
        "key is ",
        "_key",
        "a=b password=1x ",
        "token='" + "a1" * 200 + "' ",
        "secret.key." * 5 + " ",
    ],
)
def test_names_take_linear_time(text: str) -> None:
    """P16: for any text."""
    with at_most(steps=50_000_000):
        redact(text * (50_000 // len(text)), is_prose=True)
