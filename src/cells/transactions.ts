/**
 * Calls handlers before and after each transaction of Yjs, the library in which JupyterLab stores a
 * notebook.
 */
import type { YNotebook } from '@jupyter/ydoc';

/**
 * A list or map of Yjs, with only the members that AI Server uses. Importing the types of Yjs would
 * add a second copy of the library to the extension.
 */
export interface IYType {
  readonly parent: IYType | null;
  get?(key: string): unknown;
}

export interface ITransaction {
  readonly local: boolean;
  /** Identifies the code that made the transaction. */
  readonly origin: unknown;
  /** The changed lists and maps, with the changed keys. A list's only key is null. */
  readonly changed: ReadonlyMap<IYType, ReadonlySet<string | null>>;
  /** The number of operations of each client (page or server). */
  readonly beforeState: ReadonlyMap<number, number>;
  readonly afterState: ReadonlyMap<number, number>;
  /** Each client's deleted operations, as ranges. */
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

  /** A key of `changed` if cells were inserted or deleted. */
  readonly cells: IYType;
  /** The notebook's metadata and format. Reloading the file changes it. */
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
