"""The Jupyter server of the browser tests: Galata's settings, plus what the test run needs."""

import os

from jupyterlab.galata import configure_jupyter_server

configure_jupyter_server(c)  # noqa: F821

c.ServerApp.port = int(os.environ["AISERVER_TEST_PORT"])  # noqa: F821
c.ServerApp.ip = "127.0.0.1"  # noqa: F821
c.ServerApp.allow_root = True  # noqa: F821
c.FileContentsManager.delete_to_trash = False  # noqa: F821
