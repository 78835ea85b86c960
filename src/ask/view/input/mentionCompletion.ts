/** Completes mentions, such as `@df`, `@df.price`, `@cell3`, `@error`, `@output` and `@notes.md`. */
import type { TranslationBundle } from '@jupyterlab/translation';

import { columnMention } from '../../../prompt/columnMention';
import { forbiddenText } from '../../../labels/failureText';
import { linesText } from '../../../labels/requestTitle';
import type { GenerationModel } from '../../model/generation';
import { fileMention, isMentionable } from '../../model/context/mentions';
import { isForbidden } from '../../../state/features';
import { shapeText } from '../chips/dataFrameChips';
import type { ICompletion } from './completionList';

const MAX_SHOWN = 40;
/** The maximum number of completions of each kind while only `@` is typed. */
const MAX_OF_KIND = 8;
/** Matches a mention at the end of the text. */
const MENTION = /(?<![A-Za-z0-9_.])@([^\s@，。；：！？、（）]*)$/;

/** A name that can be mentioned. `words` are other texts by which it is found. */
interface ICandidate {
  readonly text: string;
  readonly description: string;
  readonly words?: string;
}

/**
 * Return the completions of a mention that ends at the cursor, empty if there is none.
 *
 * @param listFiles - Returns the names in a folder, relative to the notebook's folder. The names of
 * folders end with a slash.
 */
export function completeMention(
  model: GenerationModel,
  textBeforeCursor: string,
  listFiles: (folder: string) => readonly string[],
  trans: TranslationBundle
): ICompletion[] {
  const match = MENTION.exec(textBeforeCursor);
  if (!match) {
    return [];
  }
  const typed = match[1].toLowerCase();
  const columns = columnsOf(model, match[1]);
  const folder = match[1].slice(0, match[1].lastIndexOf('/') + 1);
  const hasFiles = !isForbidden('files');
  const groups = columns
    ? [columns, dataFrames(model, trans), variables(model)] // `train.data`, in R.
    : [
        thisCell(model, trans),
        dataFrames(model, trans),
        variables(model),
        cells(model, trans),
        hasFiles ? files(listFiles(folder), folder) : []
      ];
  // Enter sends a request that ends with a whole name, so only longer names are suggested then.
  const isName = groups.some(candidates =>
    candidates.some(({ text }) => text.toLowerCase() === `@${typed}`)
  );
  const completions = groups
    .flatMap(candidates =>
      candidates
        .filter(candidate => matches(candidate, typed, isName))
        .slice(0, typed ? undefined : MAX_OF_KIND)
    )
    .slice(0, MAX_SHOWN)
    .filter(({ text }) => text.toLowerCase() !== `@${typed}`)
    .map(({ text, description }) => ({
      start: match.index,
      text,
      description
    }));
  return columns ? completions : [...completions, ...notes(typed, trans)];
}

/**
 * Return notes about what the administrator doesn't allow: the outputs of cells, and files, if the
 * person may be typing such a mention.
 */
function notes(typed: string, trans: TranslationBundle): ICompletion[] {
  const features = (['outputs', 'files'] as const).filter(isForbidden);
  return features
    .filter(feature => !typed || isAbout(feature, typed))
    .map(feature => ({
      start: 0,
      text: '',
      description: forbiddenText(feature, trans),
      isNote: true
    }));
}

/** Return whether a typed text may begin the mention of a cell or of a file. */
function isAbout(feature: 'outputs' | 'files', typed: string): boolean {
  return feature === 'files'
    ? /[./"']/.test(typed)
    : /^(cell|单元格|儲存格)/.test(typed);
}

/**
 * Return whether the typed text begins the name or, unless it is another name, is contained in the
 * other words.
 */
function matches(
  { text, words = '' }: ICandidate,
  typed: string,
  isName: boolean
): boolean {
  const name = text.slice(1).toLowerCase();
  const isFound =
    !isName && typed.length > 1 && words.toLowerCase().includes(typed);
  return name.startsWith(typed) || name.startsWith(`"${typed}`) || isFound;
}

/** Return the columns of a DataFrame if the text begins with its name and a full stop; else null. */
function columnsOf(
  { state }: GenerationModel,
  typed: string
): ICandidate[] | null {
  const [frame] = state.kernel.frames
    .filter(({ name }) => typed.startsWith(`${name}.`))
    .sort((left, right) => right.name.length - left.name.length);
  return frame
    ? (frame.columns ?? []).map(({ name, dtype }) => ({
        text: columnMention(frame.name, name),
        description: dtype
      }))
    : null;
}

function thisCell(
  model: GenerationModel,
  trans: TranslationBundle
): ICandidate[] {
  const error = model.target.error();
  const lines = model.selectedLines;
  return [
    ...(error
      ? [{ text: '@error', description: error.split('\n').pop() ?? '' }]
      : []),
    ...(model.target.output() || model.target.images().length
      ? [{ text: '@output', description: trans.__('what the cell shows') }]
      : []),
    ...(lines
      ? [{ text: '@selection', description: linesText(lines, trans) }]
      : [])
  ];
}

function dataFrames(
  { state }: GenerationModel,
  trans: TranslationBundle
): ICandidate[] {
  return state.kernel.frames.map(frame => ({
    text: `@${frame.name}`,
    description: shapeText(frame, trans)
  }));
}

function variables({ state }: GenerationModel): ICandidate[] {
  return state.kernel.variables
    .filter(({ kind }) => kind !== 'module')
    .map(({ name, kind }) => ({ text: `@${name}`, description: kind }));
}

/** Return the other cells of the notebook, the last one first. */
function cells(
  { target }: GenerationModel,
  trans: TranslationBundle
): ICandidate[] {
  return target
    .cellTitles()
    .reverse()
    .map(({ number, title }) => ({
      text: trans.__('@cell%1', number),
      description: title,
      words: `cell${number} ${title}`
    }));
}

function files(names: readonly string[], folder: string): ICandidate[] {
  return names
    .filter(name => name.endsWith('/') || isMentionable(name))
    .map(name => ({ text: fileMention(folder + name), description: '' }));
}
