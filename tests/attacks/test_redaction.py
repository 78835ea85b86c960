"""P16: keys and passwords are never stored, and never sent to a remote model."""

from __future__ import annotations

import json
import pathlib
import sysconfig
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

from ..conftest import SSE, request
from ..effort import at_most
from ..examples import examples

KEYS = {
    "openai-key": "sk-proj-Ab12Cd34Ef56Gh78Ij90Kl12Mn34",
    "anthropic-key": "sk-ant-api03-Ab12Cd34Ef56Gh78Ij90Kl12",
    "github-token": "ghp_" + "Ab12" * 9,
    "aws-key": "AKIAQ7WERTYU8IOP9ASD",
    "google-key": "AIza" + "Sy1Ab_c" * 5,
    "huggingface-token": "hf_" + "AbCdEfGh12" * 3,
    "alibaba-key": "LTAI5tQ7wErTyU8iOp9A",
    "sendgrid-key": "SG.Ab12Cd34Ef56Gh78Ij90_-." + "Ab1-" * 10 + "xyz",
    "telegram-token": "123456789:AA" + "Hx_-" * 8 + "z",
    "google-token": "ya29.a0Af" + "xY1-" * 20 + "z",
    "digitalocean-token": "dop_v1_" + "0a1f" * 16,
    "jwt": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N",
    "private-key": "-----BEGIN RSA PRIVATE KEY-----\n"
    + "MIIEpAIBAAKCAQEA1234567890abcdef\n" * 3
    + "-----END RSA PRIVATE KEY-----",
}
NAMED = {
    'password <- "{}"': ("password", "hunter2"),
    'password\t=\t"{}"': ("password", "hunter2"),
    "let password = `{}`;": ("password", "hunter2"),
    'TOKEN = ("{}")': ("token", "ab12cd34ef56gh78"),
    'password = "{}"': ("password", "hunter2!"),
    "db.connect(user='me', passwd='{}')": ("password", "geheim$parole"),
    '{{"api_key": "{}"}}': ("key", "ab12cd34ef56"),
    'os.environ["OPENAI_API_KEY"] = "{}"': ("key", "ab12cd34ef56"),
    "%env DB_PASSWORD={}": ("password", "ab12cd34"),
    "!export HF_TOKEN={}": ("token", "ab12cd34ef56"),
    'token = "{}"': ("token", "ab12cd34ef56gh78ij90"),
    'headers = {{"Authorization": "Bearer {}"}}': ("token", "ab12cd34ef56gh78ij90"),
    'create_engine("postgresql://bob:{}@db/x")': ("password", "s3cr3t"),
    'create_engine("postgresql://ann:{}@db/x")': ("password", "P@ssw0rd"),
    'connect("postgresql://bob:{}@db:5432/x?mail=a@b")': ("password", "s3cr3t(2/6)[x@1"),
    "pd.read_json('https://x.org/d?api_key={}&page=2')": ("key", "ab12cd34ef56"),
    '"DRIVER=x;UID=sa;PWD={};"': ("password", "Secr3t9"),
    '数据库密码 = "{}"': ("password", "mima123456"),
    "%env OPENAI_API_KEY {}": ("key", "ab12cd34ef56"),
    "%set_env DB_PASSWORD {}": ("password", "hunter2222"),
    "api_key: str = '{}'": ("key", "ab12cd34ef56"),
    'password: Optional[str] = "{}"': ("password", "hunter2!"),
    "token: str | None = '{}'": ("token", "ab12cd34ef56gh78ij90"),
    "os.environ.setdefault('X_API_KEY', '{}')": ("key", "ab12cd34ef56"),
    'os.putenv("DB_PASSWORD","{}")': ("password", "hunter2!"),
    "%%bash\nOPENAI_API_KEY={} python run.py": ("key", "ab12cd34ef56"),
    "DB_PASSWORD={}": ("password", "hunter2222"),
    "llm:\n  api_key: {}\n  model: x": ("key", "ab12cd34ef56"),
    "  password: {}  # of the database": ("password", "hunter2222"),
    'api_key = """{}"""': ("key", "ab12cd34ef56"),
    "!mysql --user bob --password {} -h db": ("password", "hunter2222"),
    "!curl --api-key {} https://x.org": ("key", "ab12cd34ef56"),
    "!curl -u bob:{} https://x.org": ("password", "hunter2"),
    "curl -sSu 'bob:{}' -X POST https://x.org": ("password", "hunter"),
    "curl https://x.org --proxy-user bob:{}": ("password", "hunter2"),
    "!curl https://x.org \\\n  -u bob:{} \\\n  -o x": ("password", "hunter2"),
    "subprocess.run(['curl', '--user', 'bob:{}', url])": ("password", "hunter2"),
    "!mysql -u root -p{} shop < shop.sql": ("password", "hunter"),
    "mysqldump -p'{}' shop": ("password", "hunter2"),
    "sshpass -p {} ssh bob@x.org": ("password", "hunter2"),
    "!PGPASSWORD={} psql -h db": ("password", "hunter22"),
    'requests.get(url, auth=("bob", "{}"))': ("password", "hunter"),
    "client = Client(auth=(os.environ['USER'], '{}'), timeout=5)": ("password", "my pass"),
    "options = {{'auth': (user, '{}')}}": ("password", "hunter2"),
    'session.auth = requests.auth.HTTPBasicAuth("bob", "{}")': ("password", "hunter2"),
    'smtp.login("bob@example.org", "{}")': ("password", "abcd efgh ijkl mnop"),
    'smtp.login(config["user"], "{}")': ("password", "hunter2"),
}
# Only both parts together are a secret; the text between them is replaced, too.
SPLIT = {
    'key = "sk-" + "{}"': ("openai-key", "Ab12Cd34Ef56Gh78Ij90Kl12Mn34"),
    "key = 'sk-proj-Ab12' '{}'; x = 1": ("openai-key", "Cd34Ef56Gh78Ij90Kl12Mn34"),
    'key = ("sk-proj-"\n       "{}")\nx = 1': ("openai-key", "Ab12Cd34Ef56Gh78Ij90Kl12"),
    'key = "ghp_" + \\\n    f"Ab12" + \\\n    "{}"': ("github-token", "Ab12" * 8),
    'api_key = "ab12cd34" + "{}"': ("key", "ef56gh78"),
    'password = "hun" + "{}"': ("password", "ter2!"),
    'key = "".join(["sk-", "{}"])': ("openai-key", "Ab12Cd34Ef56Gh78Ij90Kl12Mn34"),
    "key = ''.join(('ghp_', 'Ab12Ab12', '{}'))": ("github-token", "Ab12" * 7),
    'key = "".join([\n    "sk-",  # don\'t\n    "{}",\n])\nx = 1': ("openai-key", "Ab12" * 7),
    'a = "gh" + "p_{}"': ("github-token", "Ab12" * 9),
    'a = ("gh"\n    "p_{}")': ("github-token", "Ab12" * 9),
    'a = "gh%s" % "p_{}"': ("github-token", "Ab12" * 9),
    "a = 'github_{{}}'.format('pat_{}')": ("github-token", "Ab12" * 14),
    'key = "sk-%s" % "{}"': ("openai-key", "Ab12Cd34Ef56Gh78Ij90Kl12Mn34"),
    'key = "sk-%s" % (\n    "{}"\n)': ("openai-key", "Ab12Cd34Ef56Gh78Ij90Kl12Mn34"),
    'key = "%s%s" % ("sk-", "{}")': ("openai-key", "Ab12Cd34Ef56Gh78Ij90Kl12Mn34"),
    "key = 'sk-{{}}'.format('{}')": ("openai-key", "Ab12Cd34Ef56Gh78Ij90Kl12Mn34"),
    'key = ("sk-"  # the prefix, don\'t touch\n       # and the rest\n       "{}")': (
        "openai-key",
        "Ab12Cd34Ef56Gh78Ij90Kl12Mn34",
    ),
    'key = "ghp_" + (  # "a"\n    "{}")': ("github-token", "Ab12" * 9),
}
# The part before a bracket is a secret by itself.
TWICE = '"sk-" + "Ab12Cd34Ef56Gh78Ij90Kl12Mn34" "{}{}".format("a", "b")'
LINES = {  # lines of one call
    'requests.get(url, auth=(\n    "bob",\n    "{}",\n))': ("password", "hunter2"),
    "requests.get(url, auth=('bob',  # admin\n                    '{}'), timeout=3)": (
        "password",
        "hunter2",
    ),
    'auth = HTTPBasicAuth(\n    os.environ["USER"],\n    "{}"\n)': ("password", "hunter2"),
    'smtp.login(\n    "bob@example.org",\n    "{}",\n)\nx = "hunter2"': ("password", "hunter2!"),
}
ORDINARY = """
is_pem = text.startswith("-----BEGIN PRIVATE KEY-----")
password = getpass.getpass()
conn = connect(user=user, password=password, token=token)
api_key = os.environ["OPENAI_API_KEY"]
f"postgresql://{user}:{password}@{host}/db"
tokenizer = AutoTokenizer.from_pretrained(name, pad_token="[PAD]", eos_token="<|endoftext|>")
tokens = ["sk-learn", "key", "价格"]; df.rename(columns={"token": "词元", "pwd": "path"})
max_tokens=1024, token_count = 12345678901234567890
df["key"] == "2024-01-01T00:00:00Z"; d = {"primary_key": "user_id_2", "key": "a1b2c3d4e5f6g7"}
url = "https://example.org:8080/a@b/c"; mail = "mailto:bob@example.org"
re.sub("://[^:]+:[^:]+@", x); r"://([^:]+):(.+)@"; [http://a:8888](mailto:bob@example.org)
"http://a:80,http://b@c"; git+ssh://git@example.org:bob/x@v1
api_key = "YOUR_API_KEY"; api_key="<your key here>"; token = "{token}"; secret = "xxxxxxxxxxxxxxxx"
div class="sk-estimator-doc-link-fitted-container-12"
sha = "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32"
uuid = "6f1c0f0e-9a0b-4a7e-8d52-0c9f3f1f0a11"
password: str = ""; schema = {"password": "string", "token": "varchar(255)"}
requests.get(url, auth=(user, password)); auth = HTTPBasicAuth(name, os.environ["PASS"])
author=("Bob", "Alice"); authors = {"auth": "x", "author": ("Bob", "Carol")}; auth=("basic", token)
docker run -u 1000:1000 --name mysql -p3306:3306 -p 8080:80 mysql:8; sort -u a.txt; rsync -u a b:c
curl -u "$USER:$PASSWORD" -o out.json https://example.org:8080/x; curl -u {user}:{password} x
f"mysql -p{password} -P3306"; mysql -u root -p shop; mysql-python; sshpass -p "$PW" ssh x
msg.format(a); "SG.short.x"; time = "12:30:AA"; ratio = "1:2"; mac = "00:aa:bb:cc:dd:ee"
model_v1_final = "do_v1_" + name; "sk-" + name; "a" + "b" "c"; " ".join(["sk-", "x"])
auth = HTTPBasicAuth(
    user,
    password,
)
requests.get(url, auth=(
    user, token), headers={"a": "hunter2"})
", ".join(["sk-", "Ab12Cd34Ef56Gh78Ij90Kl12Mn34"]); "sk-%s" % name; "sk-%d" % 12
"{}{}".format("a", "b"); "".join(["a", "b"]); "".join(parts); "%s%s" % ("key", "value")
user.login(name, password); page.login("Log in"); label = "token" + " " + "count: 12 34 56 78"
请用密码学的方法，解释令牌（token）与密钥的区别：密码是一个秘密。
is_whole = is_pem and lines[-1] == "-----END PRIVATE KEY-----"
"""
# Without quotes: variables and classes. (In prose they would be secrets.)
UNQUOTED = """
password: SecretStr = field(); token: TokenV2Type = make_token(16)
def login(user, password: str = None, token: Optional[str] = None, key="a"): pass
password: required
password=password1_from_form
api_key=settings.api_key2_of_user
    token: Token2VecBase64Encoder
    secret_key=load_key_v2024
SECRET_KEY=LOAD_KEY_2024
    password: Sha256Password
use --password when asked, or --token below
!tool --token TOKEN2 --password-file secret12.txt --password -p x --key=value
df.pivot("token", "a1b2c3d4e5"); d.get("key", "abc12345"); print("password", "is wrong")
row = ["password", "secret", "api_key"], ("token", "key")
df.columns = ["password", "created_at"]; fields = ("key", "password", "auth")
"""


@pytest.mark.parametrize(("kind", "key"), KEYS.items(), ids=KEYS.keys())
def test_a_key_is_recognized_by_its_format(kind: str, key: str) -> None:
    """P16: in any position; the surrounding text doesn't change."""
    for around in ('x = "{}"', "用这个 {} 登录", "{}", "a\n{}\nb", "Error: bad key {}."):
        assert redact(around.format(key)) == around.format(redaction_mark(kind))
    escaped = json.dumps({"text": f"x = '{key}'"})
    assert redact(escaped) == json.dumps(
        {"text": f"x = '{redaction_mark(kind)}'"}, ensure_ascii=False
    )


@pytest.mark.parametrize(
    "key", ["sk-" + "vecybyauyiokmnhztuinhpfj" * 2, "sk-XAfoZxpGZwSDaw-YCwzIRC"]
)
def test_a_key_needs_no_digits(key: str) -> None:
    """P16: SiliconFlow's keys are letters, and often LiteLLM's; sklearn's CSS classes are words."""
    assert redact(f'OpenAI("{key}")') == f'OpenAI("{redaction_mark("openai-key")}")'


@pytest.mark.parametrize(("around", "secret"), NAMED.items())
def test_a_literal_with_the_name_of_a_secret_is_redacted(
    around: str, secret: tuple[str, str]
) -> None:
    """P16: only the literal is replaced, so the code remains valid."""
    kind, value = secret
    assert redact(around.format(value)) == around.format(redaction_mark(kind))


@pytest.mark.parametrize(("around", "secret"), SPLIT.items())
def test_a_secret_in_joined_literals_is_redacted(around: str, secret: tuple[str, str]) -> None:
    """P16: the mark replaces everything from the first to the last character."""
    kind, value = secret
    code = around.format(value)
    redacted = redact(code)
    assert value not in redacted and redaction_mark(kind) in redacted
    compile(redacted, "cell", "exec")
    vault = Vault()
    hidden = vault.hide(code)
    assert value not in hidden
    assert vault.feed(hidden) + vault.finish() == code


@pytest.mark.parametrize(("around", "secret"), LINES.items())
def test_a_password_in_a_call_over_several_lines_is_redacted(
    around: str, secret: tuple[str, str]
) -> None:
    """P16: only the literal is replaced; lines and comments stay."""
    kind, value = secret
    assert redact(around.format(value)) == around.format(redaction_mark(kind))


@pytest.mark.parametrize(
    "around",
    [
        "!git clone https://{}@github.com/x/y",
        "!pip install git+https://{}@github.com/x/y.git",
        "connect('postgresql://{}:hunter2@db/x')",
        "!curl -u {}:hunter2 https://x.org",
        "curl https://x.org \\\n  -u '{}:hunter2' \\",
    ],
)
@pytest.mark.parametrize("key", [KEYS["github-token"], KEYS["aws-key"], "registered-key-0123"])
def test_a_key_may_be_the_user_before_a_password(around: str, key: str) -> None:
    """P16: both are hidden and restored, and no part of a redaction mark is hidden again."""
    code = around.format(key)
    with patch.dict(REGISTERED):
        register_secrets(["registered-key-0123"])
        vault = Vault()
        hidden = vault.hide(code)
        assert redact(redact(code)) == redact(code)
    assert key not in hidden and "hunter2" not in hidden
    assert hidden.count("‹redacted:") == len(vault) == code.count("hunter2") + 1
    assert vault.feed(hidden) + vault.finish() == code


def test_secrets_in_prose_are_redacted() -> None:
    """P16: this covers the text of a request."""
    assert redact("数据库密码是 mima123456，读取表", is_prose=True) == (
        f"数据库密码是 {redaction_mark('password')}，读取表"
    )
    prose = "connect with token: ab12cd34ef56gh78"
    assert redact(prose, is_prose=True) == f"connect with token: {redaction_mark('token')}"
    assert redact("the password is wrong, why?", is_prose=True) == "the password is wrong, why?"


@pytest.mark.parametrize("quotes", ["''", '""', "``", "“”", "‘’", "「」"])
def test_a_password_in_quotes_in_prose_is_redacted(quotes: str) -> None:
    """P16"""
    opening, closing = quotes[0], quotes[1]
    for prose in ("the password is {}, ok?", "密码是{}。", "口令：{}"):
        masked = prose.format(opening + redaction_mark("password") + closing)
        text = prose.format(f"{opening}hunter22{closing}")
        assert redact(text, is_prose=True) == masked
        word = prose.format(f"{opening}required{closing}")
        assert "：" in prose or redact(word, is_prose=True) == word


def test_a_secret_before_a_bracket_is_redacted() -> None:
    clean = redact(TWICE)
    assert "Ab12" not in clean and redact(clean) == clean


def test_ordinary_text_is_unchanged() -> None:
    """P16: a false positive would damage somebody's code."""
    for line in ORDINARY.splitlines():
        assert redact(line) == line
        assert redact(line, is_prose=True) == line
    assert redact(ORDINARY) == ORDINARY
    assert redact(UNQUOTED) == UNQUOTED


def test_the_standard_library_is_unchanged() -> None:
    """P16: hardly one of a million lines of ordinary code changes."""
    library = pathlib.Path(sysconfig.get_paths()["stdlib"])
    names = [
        path
        for folder in ("json", "email", "http", "asyncio", "unittest", "urllib", "xml")
        for path in sorted((library / folder).glob("*.py"))
    ]
    assert len(names) > 80
    changed = [path.name for path in names if redact(text := path.read_text("utf-8")) != text]
    assert set(changed) <= {"request.py"}, "only an example with a password may change"


@settings(max_examples=examples(150), deadline=None)
@given(st.text(st.characters(min_codepoint=0x3000, max_codepoint=0x9FFF) | st.sampled_from("\n，")))
def test_chinese_text_is_unchanged(text: str) -> None:
    """P16"""
    for prefix in ("", "密码：", "token = ", "key: "):
        assert redact(prefix + text) == prefix + text


@settings(max_examples=examples(300), deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                *KEYS.values(),
                *(a.format(s[1]) for a, s in (NAMED | SPLIT | LINES).items()),
                *ORDINARY.splitlines(),
                "İ",
                "\n",
                "'",
                '"',
                " ",
                "‹redacted:",
            ]
        )
        | st.text(max_size=5),
        max_size=8,
    )
)
def test_redaction_is_idempotent_and_a_vault_restores_all(parts: list[str]) -> None:
    """P16: for any surrounding text."""
    text = " ".join(parts)
    once = redact(text)
    assert redact(once) == once
    vault = Vault()
    hidden = vault.hide(text)
    assert vault.feed(hidden) + vault.finish() == text
    hidden_keys = [key for key in KEYS.values() if key in vault._secret_by_mark.values()]
    assert not any(key in hidden for key in hidden_keys)


@settings(max_examples=examples(100), deadline=None)
@given(st.data())
def test_secrets_are_restored_in_any_chunks_of_an_answer(data: st.DataObject) -> None:
    """P16: marks are split into chunks, next to text that looks like the start of a mark."""
    vault = Vault()
    hidden = vault.hide(f"a = '{KEYS['openai-key']}'; b = '{KEYS['github-token']}' ‹ › ‹x›")
    cuts = sorted(data.draw(st.lists(st.integers(0, len(hidden)), max_size=12)))
    pieces = [hidden[a:b] for a, b in zip([0, *cuts], [*cuts, len(hidden)], strict=True)]
    answer = "".join(vault.feed(piece) for piece in pieces) + vault.finish()
    assert answer == f"a = '{KEYS['openai-key']}'; b = '{KEYS['github-token']}' ‹ › ‹x›"


def test_marks_cannot_be_forged() -> None:
    """P16: untrusted text can't refer to a secret that it doesn't contain."""
    vault = Vault()
    vault.hide(KEYS["openai-key"])
    planted = f"send({redaction_mark('openai-key')}, {redaction_mark('openai-key', '00000000')})"
    assert vault.feed(planted) + vault.finish() == planted


@pytest.mark.parametrize(
    "text",
    [
        "eyJ",
        "sk-",
        "://a:",
        "://‹a:b›",
        "://a:b@c",
        "curl -u ‹a:b›",
        "token='",
        "-----BEGIN PRIVATE KEY-----",
        "password ",
        "curl -u a:",
        "curl -uuu",
        "curl \n-u a:b",
        "mysql -p",
        "auth=('a', ",
        "HTTPBasicAuth(a.",
        ".login('a', '",
        ".login(a[",
        "'sk-' + ",
        "'key' \n",
        "''.join(['sk-', ",
        "''.join([\n'sk-',\n",
        "auth=(\n",
        "auth=('a',   \n   # x\n",
        "'sk-%s' % \n",
        "'key' " + " " * 60 + "\n#" + " " * 60 + "\n",
        "key = 'sk-' + 'a'\n",
        "?key=a",
        "Bearer ",
        "--a-token=",
        "password: a",
        "password is 'a",
        "A_KEY=a ",
        "password: " + "x" * 39,
        "token  ",
        "\napi_key: ",
        "token = '" + "key_" * 100 + "-1'",
        "token = '" + "a." * 100 + "-1'",
        "API_KEY=" + "A_v" * 100 + "! x\n",
    ],
)
def test_redaction_takes_linear_time(text: str) -> None:
    """P16: for any text."""
    with at_most(steps=50_000_000):
        redact(text * (50_000 // len(text)), is_prose=True)


SOURCE = f"import openai\nopenai.api_key = '{KEYS['openai-key']}'\nx = 1"


def test_letters_with_a_longer_lower_case_hide_no_secrets() -> None:
    """P16: lines are still found at the right positions."""
    value = "abc123def456ghi789jk"
    text = f"city = 'İzmir'\n%env MY_TOKEN={value}\n\n!export B_TOKEN={value}\n"
    assert redact(text) == text.replace(value, redaction_mark("token"))


async def test_no_key_is_stored_or_sent_and_none_is_lost(call, scripted, jp_root_dir, remote_model):
    """P16: files and requests contain a mark; the user's own code is restored."""
    canary = KEYS["openai-key"]
    await call("POST", "generate", request(f"use {KEYS['github-token']}", source=SOURCE))
    hidden = scripted.requests[-1]["body"]["messages"][-1]["content"]
    assert canary not in hidden and "‹redacted:openai-key:" in hidden
    assert KEYS["github-token"] not in hidden
    code = hidden[hidden.index("import openai") : hidden.index("x = 1") + 5]
    scripted.script({"text": f"```python\n{code} + 1\n```"})
    reply = await call("POST", "generate", request("add one", source=SOURCE), headers=SSE)
    done = reply.events[-1][1]["interaction"]
    assert done["ai_response"]["suggestion"] == SOURCE + " + 1"
    tokens = "".join(d["text"] for n, d in reply.events if d.get("part") == "code")
    assert tokens.strip("\n") == SOURCE + " + 1"
    events = [
        {"type": "accept", "turnId": 2, "source": SOURCE + " + 1"},
        {
            "type": "run",
            "source": SOURCE + " + 1",
            "data": {"error": f"AuthError: {canary}", canary: [canary]},
        },
    ]
    await call("POST", "sessions/nb/c1/events", events)
    scripted.script({"status": 401, "message": f"Incorrect API key provided: {canary}"})
    await call("POST", "generate", request("again", source=SOURCE + " + 1"))
    for path in jp_root_dir.rglob("*"):
        if path.is_file():
            text = path.read_text("utf-8", "replace")
            assert not [key for key in KEYS.values() if key in text], path
    assert canary not in json.dumps([r["body"] for r in scripted.requests])
    stored = (await call("GET", "sessions/nb/c1")).data
    suggestion = stored["interactions"][1]["ai_response"]["suggestion"]
    assert suggestion == (SOURCE + " + 1").replace(canary, redaction_mark("openai-key"))
    steps = (await call("GET", "sessions/nb/c1/replay")).data["steps"]
    assert [s["outcome"] for s in steps if s["kind"] == "turn"][1] == "accepted"
    assert not [s for s in steps if s["kind"] == "edit" and "event" not in s], (
        "an edit was inferred"
    )


async def test_a_hidden_password_in_a_call_is_neither_stored_nor_sent_later(
    call, scripted, jp_root_dir, remote_model
):
    """P16: the answer has no name for it, so only the vault knows it. The person gets it back."""
    password, intent = "Zq7xKd93Lm2Qp", "log in as bob, the password is Zq7xKd93Lm2Qp"
    mark = Vault().hide(intent, is_prose=True).split()[-1]
    scripted.script({"text": f'```python\nc = sign_in("bob", "{mark}")\n```'})
    reply = await call("POST", "generate", request(intent))
    source = reply.data["ai_response"]["suggestion"]
    assert source == f'c = sign_in("bob", "{password}")'
    accept = {"type": "accept", "turnId": 1, "source": source}
    await call("POST", "sessions/nb/c1/events", [accept])
    await call("POST", "generate", request("list all tables", source=source))
    above = {"cellId": "c1", "cellType": "code", "source": source}
    await call("POST", "generate", request("plot", cellId="c2", context={"cells": [above]}))
    assert password not in json.dumps([item["body"] for item in scripted.requests])
    for path in jp_root_dir.rglob("*"):
        assert not path.is_file() or password not in path.read_text("utf-8", "replace"), path
    steps = (await call("GET", "sessions/nb/c1/replay")).data["steps"]
    assert (steps[0]["outcome"], [s for s in steps if s["kind"] == "edit"]) == ("accepted", [])


@patch.dict(REGISTERED, clear=True)
def test_only_unrecognised_secrets_of_an_answer_are_registered() -> None:
    """P16: a word that is a password somewhere isn't replaced everywhere."""
    vault = Vault()
    vault.hide("the password is Zq7xKd93\npassword = 'python'", is_prose=True)
    vault.register_unrecognised("password = 'Zq7xKd93'; connect('db', 'python')")
    assert REGISTERED == {}
    vault.register_unrecognised("connect('db', 'Zq7xKd93')")
    assert redact("connect('db', 'Zq7xKd93'); import python") == (
        f"connect('db', '{redaction_mark('password')}'); import python"
    )
    assert redact("Zq7xKd93") == redaction_mark("password")  # as an output, for example


async def test_a_key_in_a_dataframe_is_not_sent(call, scripted, remote_model):
    """P16: as the name of a column, of the variable, or in a dtype; now and in later turns."""
    keys = [KEYS[kind] for kind in ("openai-key", "github-token", "aws-key", "google-key")]
    frame = {
        "name": keys[0],
        "kind": f"pandas.{keys[1]}",
        "rowCount": 1,
        "columnCount": 2,
        "columns": [{"name": f"of {keys[2]}", "dtype": "int64"}, {"name": "b", "dtype": keys[3]}],
    }
    ask = request("the mean", dataframes=[frame])
    assert (await call("POST", "analyze-dataframe", ask)).status == 200
    preview = await call("POST", "generate/preview", ask)
    assert preview.data["hidden"] >= 3
    await call("POST", "generate", request("and the sum"))
    sent = json.dumps([item["body"] for item in scripted.requests] + [preview.data])
    assert len(scripted.requests) == 2 and sent.count("redacted:aws-key") >= 3
    assert not [key for key in keys if key in sent]


async def test_a_remote_model_sees_consistent_code(call, scripted, remote_model):
    """P16: history and cell have the same mark, so the model sees no false change."""
    scripted.script({"text": f"```python\n{SOURCE}\n```"})
    await call("POST", "generate", request("one"))
    await call("POST", "generate", request("two", source=SOURCE))
    text = "\n".join(m["content"] for m in scripted.requests[-1]["body"]["messages"])
    assert "‹redacted:openai-key›" not in text
    assert text.count("‹redacted:openai-key:") >= 2


@patch.dict(REGISTERED, clear=True)
def test_a_secret_of_the_environment_is_redacted_everywhere() -> None:
    """P16: it has no distinctive format, and a cell prints it without a name."""
    environ = {
        "JUPYTERHUB_API_TOKEN": "0f3a" * 8,
        "DB_PASSWORD": 'quo"te\\and 12',
        "MY_SECRET": 'quo"te\\and123456',
        "SSH_KEY": "/home/me/.ssh/id_rsa_1234",
        "TOKENIZERS_PARALLELISM": "false",
        "API_KEY_FILE": "/run/secrets/key12",
        "EDITOR": "vim-with-16-letters",
    }
    values = secrets_in_environment(environ)
    assert values == ["0f3a" * 8, 'quo"te\\and123456']
    register_secrets([*values, "", "short1"])
    for secret in values:
        printed = f"first\n{secret}\nlast"
        assert redact(printed) == f"first\n{redaction_mark('token')}\nlast"
    assert redact("short1, vim-with-16-letters") == "short1, vim-with-16-letters"
