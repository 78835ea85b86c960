/** Calls handlers before and after each Yjs transaction of a notebook, until disposed. */
import type { YNotebook } from '@jupyter/ydoc';

/** The parts of Yjs's types that are used here. Importing Yjs would bundle a second copy of it. */
export interface IYType {
  readonly parent: IYType | null;
  get?(key: string): unknown;
}

export interface ITransaction {
  /** Whether this page made the transaction. */
  readonly local: boolean;
  readonly origin: unknown;
  readonly changed: ReadonlyMap<IYType, ReadonlySet<string | null>>;
  /** Each client's clock before and after the transaction. */
  readonly beforeState: ReadonlyMap<number, number>;
  readonly afterState: ReadonlyMap<number, number>;
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

  /** The Yjs list of cells, which is a key of `changed` if cells were inserted or deleted. */
  readonly cells: IYType;
  /** The Yjs map of the notebook's metadata and format, which a reload from the file changes. */
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
