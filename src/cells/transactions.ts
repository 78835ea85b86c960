/**
 * Calls handlers before and after each transaction of a notebook. JupyterLab stores a notebook's
 * contents with the library Yjs, which changes them in transactions.
 */
import type { YNotebook } from '@jupyter/ydoc';

/**
 * A list or map of Yjs, with only the members that AI Server uses. The types in this file are
 * declared here, because importing Yjs would add a second copy of the library to the extension.
 */
export interface IYType {
  readonly parent: IYType | null;
  get?(key: string): unknown;
}

/** A transaction of Yjs, with only the members that AI Server uses. */
export interface ITransaction {
  readonly local: boolean;
  /** A value by which the code that made the transaction identifies itself. */
  readonly origin: unknown;
  /** The changed lists and maps, each with the changed keys. For a list, the only key is null. */
  readonly changed: ReadonlyMap<IYType, ReadonlySet<string | null>>;
  /** The number of operations of each client (page or server) before the transaction. */
  readonly beforeState: ReadonlyMap<number, number>;
  /** The number of operations of each client after the transaction. */
  readonly afterState: ReadonlyMap<number, number>;
  /** The deleted operations of each client, as ranges. */
  readonly deleteSet: {
    readonly clients: ReadonlyMap<
      number,
      readonly { readonly clock: number; readonly len: number }[]
    >;
  };
}

type Handler = (transaction: ITransaction) => void;

export class Transactions {
  constructor(
    notebook: YNotebook,
    private readonly _before: Handler,
    private readonly _after: Handler
  ) {
    this._doc = notebook.ydoc as unknown as typeof this._doc;
    this.cells = this._doc.getArray('cells');
    this.meta = this._doc.getMap('meta');
    this._doc.on('beforeTransaction', _before);
    this._doc.on('afterTransaction', _after);
  }

  /** The Yjs list of cells. It is a key of `changed` if cells were inserted or deleted. */
  readonly cells: IYType;
  /** The Yjs map of the notebook's metadata and format. Reloading the file changes it. */
  readonly meta: IYType;

  dispose(): void {
    this._doc.off('beforeTransaction', this._before);
    this._doc.off('afterTransaction', this._after);
  }

  private readonly _doc: {
    getArray(name: string): IYType;
    getMap(name: string): IYType;
    on(name: string, handler: Handler): void;
    off(name: string, handler: Handler): void;
  };
}
