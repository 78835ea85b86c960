/**
 * A real Jupyter server with AI Server, for specs: real files, the real store, the real API.
 *
 * Played: the model that is asked (tests/scripted_model.py), for real ones are paid for.
 */
import { ContentsManager, ServerConnection } from '@jupyterlab/services';
import { ChildProcess, spawn } from 'child_process';
import { mkdtempSync, rmSync } from 'fs';
import { tmpdir } from 'os';
import { join, resolve } from 'path';
import { createInterface } from 'readline';

import { ApiClient } from '../../api/client';
import type { NotebookBody } from '../../api/types';
import type { IServer } from './tracking.fakes';

const REPOSITORY = resolve(__dirname, '..', '..');

export class JupyterServer implements IServer {
  private constructor(
    private readonly _model: ChildProcess,
    private readonly _modelUrl: string,
    private readonly _ports: ChildProcess,
    private readonly _port: number
  ) {
    const baseUrl = `http://127.0.0.1:${_port}/`;
    this.settings = ServerConnection.makeSettings({ baseUrl });
    this.api = new ApiClient(this.settings);
    this.contents = new ContentsManager({ serverSettings: this.settings });
  }

  readonly settings: ServerConnection.ISettings;
  readonly api: ApiClient;
  readonly contents: ContentsManager;

  static async start(): Promise<JupyterServer> {
    const model = run(['-m', 'tests.scripted_model', '--port', '0']);
    const [url] = await said(model, /http:\/\/127\.0\.0\.1:\d+/);
    const ports = run(['-m', 'tests.ports', '1']);
    const [, port] = await said(ports, /^ports (\d+)$/);
    const server = new JupyterServer(model, url, ports, Number(port));
    await server.begin();
    return server;
  }

  register(body: NotebookBody): Promise<{ notebookId: string }> {
    return this.api.openNotebook(body);
  }

  keep(picture: Blob): Promise<string> {
    return this.api.putBlob(picture);
  }

  async script(answer: string): Promise<void> {
    const text = '```python\n' + answer + '\n```\n';
    const body = JSON.stringify([{ text }]);
    const url = `${this._modelUrl}/script`;
    const init = { method: 'POST', body };
    const settings = ServerConnection.makeSettings({
      baseUrl: this._modelUrl,
      init: { cache: 'default' } // else it adds a query
    });
    await ServerConnection.makeRequest(url, init, settings);
  }

  /** Start it, in the folder in which it was before. */
  async begin(): Promise<void> {
    const options = {
      base_url: `${this._modelUrl}/v1`,
      api_key: 'of-the-test'
    };
    this._server = run([
      ...['-m', 'jupyter', 'server', '--no-browser', '--allow-root'],
      `--ServerApp.port=${this._port}`,
      '--ServerApp.port_retries=0',
      '--ServerApp.ip=127.0.0.1',
      `--ServerApp.root_dir=${this._root}`,
      '--ServerApp.disable_check_xsrf=True',
      '--IdentityProvider.token=',
      '--AIServer.model=openai:scripted',
      `--ModelRegistry.model_options=${JSON.stringify(options)}`
    ]);
    await said(this._server, /Jupyter Server .* is running at/);
    await this._reach();
  }

  /** Ask until it answers: connections that were kept to the one before are dead. */
  private async _reach(): Promise<void> {
    const url = `${this.settings.baseUrl}api`;
    let isThere = false;
    while (!isThere) {
      isThere = await ServerConnection.makeRequest(url, {}, this.settings).then(
        ({ ok }) => ok,
        () => false
      );
    }
  }

  /** End it at once, as a machine that fails does. */
  async kill(): Promise<void> {
    await ended(this._server);
  }

  async dispose(): Promise<void> {
    await this.kill();
    await ended(this._model);
    await ended(this._ports);
    rmSync(this._root, { recursive: true, force: true });
  }

  private readonly _root = mkdtempSync(join(tmpdir(), 'aiserver-spec-'));
  private _server: ChildProcess | null = null;
}

function run(args: string[]): ChildProcess {
  return spawn('python', args, {
    cwd: REPOSITORY,
    stdio: ['pipe', 'pipe', 'pipe']
  });
}

/** Wait until a process says something. */
function said(child: ChildProcess, what: RegExp): Promise<RegExpMatchArray> {
  const lines: string[] = [];
  return new Promise((resolve, reject) => {
    for (const stream of [child.stdout!, child.stderr!]) {
      createInterface({ input: stream }).on('line', line => {
        lines.push(line);
        const found = line.match(what);
        if (found) {
          resolve(found);
        }
      });
    }
    const why = 'Is the environment with AI Server the first on the PATH?';
    child.on('error', () => reject(new Error(`There is no python. ${why}`)));
    child.on('exit', () =>
      reject(new Error(`${why}\n${lines.slice(-100).join('\n')}`))
    );
  });
}

async function ended(child: ChildProcess | null): Promise<void> {
  if (child && child.exitCode === null && child.signalCode === null) {
    const gone = new Promise(resolve => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
  }
}
