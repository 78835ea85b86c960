import type { TranslationBundle } from '@jupyterlab/translation';

/** The first line of a request to fix an error; English in the history. */
const FIX_REQUEST = 'Fix this error:';

/** The same of a request to explain an error. */
const EXPLAIN_REQUEST = '/explain Why does this error occur?';

/** The first line of the title of an undo's conflict in a cell; the run's intent follows. */
const BEFORE_RUN = 'Lines from before the run:';

export function explainRequest(trans: TranslationBundle): string {
  return `${trans.__('/explain')} ${trans.__('Why does this error occur?')}`;
}

/** Return a request's text or, if AI Server wrote it, a title, such as "Fix: KeyError 'month'". */
export function requestTitle(text: string, trans: TranslationBundle): string {
  const title = text.trim();
  const [first, ...lines] = title.split('\n').map(line => line.trim());
  const error = lines.filter(Boolean).pop(); // The last line of a traceback is the error.
  const fixRequests = [
    FIX_REQUEST,
    trans.__('Fix this error:'),
    '/fix',
    trans.__('/fix')
  ];
  const isFix = fixRequests.includes(first);
  if (isFix && error) {
    return trans.__('Fix: %1', error.replace(/^(\w+): /, '$1 '));
  }
  if (first === BEFORE_RUN) {
    return trans.__(
      'Both changed these lines: back to before “%1”?',
      lines.join(' ')
    );
  }
  if (error && [EXPLAIN_REQUEST, explainRequest(trans)].includes(first)) {
    return trans.__('Explain the error');
  }
  return title || trans.__('Request without text');
}

export function linesText(
  { first, last }: { first: number; last: number },
  trans: TranslationBundle
): string {
  return first === last
    ? trans.__('Only line %1', first)
    : trans.__('Only lines %1–%2', first, last);
}

/** The lines that a turn's request was limited to; null for the whole cell. */
export function selectedLines(
  data: Readonly<Record<string, unknown>> | null | undefined
): { first: number; last: number } | null {
  const { first, last } = (data?.selection ?? {}) as Record<string, unknown>;
  return typeof first === 'number' && typeof last === 'number'
    ? { first, last }
    : null;
}
