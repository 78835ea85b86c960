"""The JupyterHub of the browser tests: a real one, on loopback, with a folder for each person.

What it needs to know comes as JSON in AISERVER_TEST_HUB: ``root``, ``ports`` (three free ones),
``proxy`` (the program), ``args`` (for each person's server).
"""

import json
import os
import sys

test = json.loads(os.environ["AISERVER_TEST_HUB"])
public, hub, proxy = test["ports"]

c = get_config()  # type: ignore[name-defined]  # noqa: F821
c.JupyterHub.bind_url = f"http://127.0.0.1:{public}"
c.JupyterHub.hub_bind_url = f"http://127.0.0.1:{hub}"
c.JupyterHub.db_url = "sqlite://"  # in memory
c.JupyterHub.cookie_secret = os.urandom(32)
c.JupyterHub.cleanup_servers = True
c.JupyterHub.cleanup_proxy = True
c.ConfigurableHTTPProxy.api_url = f"http://127.0.0.1:{proxy}"
c.ConfigurableHTTPProxy.command = [test["proxy"]]
c.ConfigurableHTTPProxy.pid_file = os.path.join(test["root"], "proxy.pid")  # noqa: PTH118

c.JupyterHub.authenticator_class = "dummy"  # any name, any password
c.JupyterHub.spawner_class = "simple"
c.SimpleLocalProcessSpawner.home_dir_template = test["root"] + "/{username}"
c.Spawner.ip = "127.0.0.1"
c.Spawner.cmd = [sys.executable, "-m", "jupyterhub.singleuser"]
c.Spawner.args = ["--allow-root", "--LabApp.expose_app_in_browser=True", *test["args"]]

# Anna lets a guest into her server, as people do who work together.
c.JupyterHub.load_roles = [
    {"name": "guest-of-anna", "scopes": ["access:servers!user=anna"], "users": ["guest"]},
]
