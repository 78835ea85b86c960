/**
 * The rules files for a notebook, such as `AGENTS.md`, and the person's choices, by path, in the
 * browser's local storage.
 *
 * Invariants: only files that the person uses are sent, and a changed one only after another choice,
 * except after the person's own save. Whether the list was loaded doesn't change a request.
 */
import { PageConfig } from '@jupyterlab/coreutils';
import { Signal } from '@lumino/signaling';

import type { ApiClient } from '../../../api/client';
import type { RulesFile, UsedRulesFile } from '../../../api/types';

/** `changed`: the person has used the file, which has changed since. */
export type RulesChoice = 'used' | 'ignored' | 'changed' | null;

export interface IRulesFile extends RulesFile {
  readonly choice: RulesChoice;
}

/** As in `aiserver/plugins/rules/rules_files.py`. */
const NAMES = ['.github/copilot-instructions.md', 'CLAUDE.md', 'AGENTS.md'];
const MAX_FILES = 20;
const MAX_PATH = 1000;
const IGNORED = 'ignored';

export class RulesFiles {
  constructor(
    private readonly _api: Pick<ApiClient, 'rulesFiles'>,
    private readonly _notebookPath: () => string
  ) {}

  readonly changed = new Signal<this, 'list' | 'choice'>(this);

  /** The loaded files, the nearest last, without copies of nearer ones that have no choice. */
  get list(): IRulesFile[] {
    const files = this._files.map(file => ({
      ...file,
      choice: choiceOf(file)
    }));
    return files.filter(
      ({ choice, sha256 }, index) =>
        choice !== null ||
        !files.slice(index + 1).some(nearer => nearer.sha256 === sha256)
    );
  }

  /** The server leaves out files that have changed since the person's choice. */
  get used(): UsedRulesFile[] {
    return this._paths
      .flatMap(path => {
        const sha256 = window.localStorage.getItem(
          storageKey('rules-file', path)
        );
        return sha256 && sha256 !== IGNORED && path.length <= MAX_PATH
          ? [{ path, sha256 }]
          : [];
      })
      .slice(-MAX_FILES);
  }

  choose({ path, sha256 }: RulesFile, isUsed: boolean): void {
    const value = isUsed ? sha256 : IGNORED;
    window.localStorage.setItem(storageKey('rules-file', path), value);
    this.changed.emit('choice');
  }

  async load(): Promise<void> {
    const number = ++this._loadCount;
    const files = await this._api
      .rulesFiles(this._notebookPath())
      .catch(() => null);
    if (files && number === this._loadCount) {
      this._files = files;
      this.changed.emit('list');
    }
  }

  async onSaved(path: string): Promise<void> {
    const find = () => this.list.find(file => file.path === path);
    const isUsed = find()?.choice === 'used';
    if (this._paths.includes(path)) {
      await this.load();
      const file = find();
      if (isUsed && file?.choice === 'changed') {
        this.choose(file, true);
      }
    }
  }

  private get _paths(): string[] {
    const names = this._notebookPath().split('/').slice(0, -1);
    const folders = names.map((_, index) =>
      names.slice(0, index + 1).join('/')
    );
    return ['', ...folders.map(folder => `${folder}/`)].flatMap(folder =>
      NAMES.map(name => folder + name)
    );
  }

  private _files: readonly RulesFile[] = [];
  private _loadCount = 0;
}

function choiceOf({ path, sha256 }: RulesFile): RulesChoice {
  const choice = window.localStorage.getItem(storageKey('rules-file', path));
  if (choice === null || choice === IGNORED) {
    return choice;
  }
  return choice === sha256 ? 'used' : 'changed';
}

/** Several servers and users may share the local storage. */
export function storageKey(kind: string, path: string): string {
  const root = PageConfig.getOption('serverRoot');
  return `aiserver:${kind}:${PageConfig.getBaseUrl()}:${root}/${path}`;
}
