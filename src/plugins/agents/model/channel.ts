/**
 * The page's WebSocket to the server, over which agents read and change open notebooks.
 *
 * Invariants:
 * - The server knows which notebooks are open, and what agents may get of their data: `hello` says so
 *   whenever the socket opens and whenever that changes.
 * - Nothing is polled. After the socket has closed, the page waits before it opens it again: longer
 *   after each attempt that fails, and not at all if the server has never answered.
 */
import { URLExt } from '@jupyterlab/coreutils';
import type { ServerConnection } from '@jupyterlab/services';
import { Signal } from '@lumino/signaling';

import type { PrivacyLevel } from '../../../api/types';
import type { ServerMessage } from './messages';

/** The first and the longest time before the socket is opened again, in milliseconds. */
const MIN_DELAY_MS = 1_000;
const MAX_DELAY_MS = 60_000;
/** The number of attempts after which a server that has never answered isn't asked any more. */
const MAX_FIRST_ATTEMPTS = 5;

export interface IChannelOptions {
  readonly settings: ServerConnection.ISettings;
  /** An id of this page. */
  readonly page: string;
  /** Return the paths of the notebooks that are open now. */
  readonly paths: () => readonly string[];
  /** Return what the person allows agents to get of the data in the kernel. */
  readonly level: () => PrivacyLevel;
}

export class Channel {
  constructor(private readonly _options: IChannelOptions) {}

  readonly received = new Signal<this, ServerMessage>(this);
  /** Emitted when the socket has opened: the page may have missed notices. */
  readonly opened = new Signal<this, void>(this);

  /** Say which notebooks are open, if that or the level has changed. The first opens the socket. */
  update(): void {
    const { page, level } = this._options;
    const paths = this._options.paths();
    const hello = { type: 'hello', page, paths, level: level() };
    const text = JSON.stringify(hello);
    if (text === this._sentHello || (!this._socket && !paths.length)) {
      return;
    }
    if (!this._socket) {
      if (this._timer === undefined) {
        this._failures = 0;
        this._open();
      }
    } else if (this._socket.readyState === OPEN) {
      this._sentHello = text;
      this.send(hello);
    }
  }

  /** Send a message. It is lost while the socket is closed: the server doesn't wait then, either. */
  send(message: object): void {
    if (this._socket?.readyState === OPEN) {
      this._socket.send(JSON.stringify(message));
    }
  }

  dispose(): void {
    this._isDisposed = true;
    clearTimeout(this._timer);
    this._socket?.close();
    Signal.clearData(this);
  }

  private _open(): void {
    this._timer = undefined;
    const { appendToken, token, wsUrl, WebSocket } = this._options.settings;
    const url = URLExt.join(wsUrl, 'aiserver', 'agents', 'channel');
    const query = appendToken && token ? { token } : {};
    const socket = new WebSocket(url + URLExt.objectToQueryString(query));
    this._socket = socket;
    socket.onopen = () => {
      this._failures = 0;
      this._hasOpened = true;
      this._sentHello = '';
      this.update();
      this.opened.emit();
    };
    socket.onmessage = ({ data }) => {
      const message = parse(data);
      if (message && !this._isDisposed) {
        this.received.emit(message);
      }
    };
    socket.onclose = () => this._onClose();
  }

  private _onClose(): void {
    this._socket = null;
    this._sentHello = '';
    const isHopeless =
      !this._hasOpened && this._failures + 1 >= MAX_FIRST_ATTEMPTS;
    if (this._isDisposed || isHopeless) {
      return; // A notebook that is opened later begins anew.
    }
    const delay = Math.min(MAX_DELAY_MS, MIN_DELAY_MS * 2 ** this._failures++);
    // Not all pages at once, after the server was restarted.
    const jitter = 0.75 + Math.random() / 2;
    this._timer = window.setTimeout(() => this._open(), delay * jitter);
  }

  private _socket: WebSocket | null = null;
  /** The timer of the next attempt; undefined if there is none. */
  private _timer: number | undefined;
  /** The number of attempts since the socket was open. */
  private _failures = 0;
  private _hasOpened = false;
  /** The last `hello` over this socket, as JSON. */
  private _sentHello = '';
  private _isDisposed = false;
}

/** `WebSocket.OPEN`; a server connection may bring its own class. */
const OPEN = 1;

/** Parse a message; null if it isn't one, such as a message of a later version. */
function parse(data: unknown): ServerMessage | null {
  try {
    const message = JSON.parse(String(data)) as ServerMessage | null;
    return typeof message?.type === 'string' ? message : null;
  } catch {
    return null;
  }
}
