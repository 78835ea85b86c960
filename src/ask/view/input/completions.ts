/** The completions of a request: slash words and recipes at its beginning, and mentions. */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { Recipe } from '../../../api/types';
import { forbiddenText } from '../../../labels/failureText';
import { modeLabels, modesOfCellAbove } from '../../../labels/modeLabels';
import { linesText } from '../../../labels/requestTitle';
import { columnMention } from '../../../prompt/columnKinds';
import { isForbidden } from '../../../state/features';
import { fileMention, isMentionable } from '../../model/context/mentions';
import { fillDefaults, nextParameter } from '../../model/context/recipes';
import type { GenerationModel } from '../../model/generation';
import { shapeText } from '../parts/dataFrames';
import { problemLines } from '../promptLabels';
import type { IPromptRowServices, IRow } from '../row';
import type { ICompletion } from './completionList';

const MAX_SHOWN = 40;
/** Completions of each kind while only `@` is typed. */
const MAX_OF_KIND = 8;
const MENTION = /(?<![A-Za-z0-9_.])@([^\s@，。；：！？、（）]*)$/;
const SLASH = /^\s*[/／]([^\s/／]*)$/;
/** Matches the slash words for a fix, as `aiserver/prompts/modes.py` reads them. */
const FIX_WORD = /^\s*[/／](?:(?:fix|debug)(?=[\s:：,，]|$)|修复|修正)/i;
/** The other modes change or explain code. */
const MODES_WITHOUT_CODE = ['visualise'];

export type NearestCode = 'own' | 'above' | 'none';

export function completeRequest(
  { model, services, trans, listFiles }: IRow,
  before: string
): ICompletion[] {
  const { target, state } = model;
  const source = state.code || target.source() || '';
  const nearest = (): NearestCode =>
    source.trim() ? 'own' : target.codeAbove() ? 'above' : 'none';
  // Only requests for code have slash words.
  const isCode = target.cellType === 'code' && !source.startsWith('%%markdown');
  return [
    ...(isCode ? completeSlashWord(before, nearest, trans) : []),
    ...(model.memory ? completeRemember(before, trans) : []),
    ...completeRecipe(services.recipes.list, before),
    ...completeMention(model, before, listFiles, trans)
  ];
}

/** Return the request as it is sent: with `/fix`, the cell's error and problems are added. */
export async function completedRequest(
  { target, suggestion }: GenerationModel,
  intent: string
): Promise<string> {
  const error = target.error();
  const isFix = error && FIX_WORD.test(intent) && !intent.includes(error);
  // With an open suggestion, the request is about the suggestion, which has not run.
  if (!isFix || suggestion) {
    return intent;
  }
  const problems = (await target.check(target.source() ?? '')) ?? [];
  return [intent.trim(), ...problemLines(problems), error].join('\n');
}

/**
 * Return the slash words that the text before the cursor begins, none for a whole one. In an empty
 * cell, descriptions say which are about the cell above.
 */
export function completeSlashWord(
  before: string,
  nearest: () => NearestCode,
  trans: TranslationBundle
): ICompletion[] {
  const typed = SLASH.exec(before)?.[1].toLowerCase();
  if (typed === undefined) {
    return [];
  }
  const code = nearest();
  const above = modesOfCellAbove(trans);
  const labels = modeLabels(trans).flatMap(label => {
    const description = code === 'above' ? above.get(label.mode) : undefined;
    return code === 'own' || MODES_WITHOUT_CODE.includes(label.mode)
      ? [label]
      : description
        ? [{ ...label, description }]
        : [];
  });
  const isWhole = labels.some(({ slashWord }) => slashWord === `/${typed}`);
  return labels
    .filter(
      ({ mode, slashWord }) =>
        !isWhole &&
        (slashWord.startsWith(`/${typed}`) || mode.startsWith(typed))
    )
    .map(({ slashWord: text, description }) => ({
      start: 0,
      text,
      description
    }));
}

export function completeRemember(
  before: string,
  trans: TranslationBundle
): ICompletion[] {
  const typed = SLASH.exec(before)?.[1];
  const text = trans.__('/remember');
  const isBegun = [text, '/remember'].some(
    word => word !== `/${typed}` && word.startsWith(`/${typed}`)
  );
  const description = trans.__('Remember a sentence for all cells');
  return typed !== undefined && isBegun
    ? [{ start: 0, text, description }]
    : [];
}

/** A recipe is replaced by its text, so that the person sees what is sent. */
export function completeRecipe(
  recipes: readonly Recipe[],
  before: string
): ICompletion[] {
  const typed = SLASH.exec(before)?.[1].toLowerCase();
  return typed === undefined
    ? []
    : recipes
        .filter(({ name }) => name.toLowerCase().startsWith(typed))
        .slice(0, MAX_SHOWN)
        .map(({ name, description, text }) => ({
          start: 0,
          text: `/${name}`,
          description,
          insertion: fillDefaults(text)
        }));
}

/** Return false if a recipe has no further parameter: Tab leaves the field. */
export function selectNextParameter(field: HTMLTextAreaElement): boolean {
  const range = nextParameter(field.value, field.selectionEnd);
  if (range) {
    field.setSelectionRange(range.from, range.to);
  }
  return range !== null;
}

/** A name that can be mentioned. `words` are other texts by which it is found. */
interface ICandidate {
  readonly text: string;
  readonly description: string;
  readonly words?: string;
}

/** `listFiles` lists a folder, relative to the notebook's; names of folders end with a slash. */
export function completeMention(
  model: GenerationModel,
  before: string,
  listFiles: (folder: string) => readonly string[],
  trans: TranslationBundle
): ICompletion[] {
  const match = MENTION.exec(before);
  if (!match) {
    return [];
  }
  const typed = match[1].toLowerCase();
  const { frames, variables } = model.state.kernel;
  const named = [
    frames.map(frame => ({
      text: `@${frame.name}`,
      description: shapeText(frame, trans)
    })),
    variables
      .filter(({ kind }) => kind !== 'module')
      .map(({ name, kind }) => ({ text: `@${name}`, description: kind }))
  ];
  const columns = columnsOf(model, match[1]);
  const folder = match[1].slice(0, match[1].lastIndexOf('/') + 1);
  const groups: ICandidate[][] = columns
    ? [columns, ...named] // `train.data`, in R.
    : [
        thisCell(model, trans),
        ...named,
        cells(model, trans),
        isForbidden('files') ? [] : files(listFiles(folder), folder)
      ];
  // Enter sends a request that ends with a whole name, so suggest only longer names then.
  const isTyped = ({ text }: ICandidate) => text.toLowerCase() === `@${typed}`;
  const isName = groups.some(candidates => candidates.some(isTyped));
  const completions = groups
    .flatMap(candidates =>
      candidates
        .filter(candidate => matches(candidate, typed, isName))
        .slice(0, typed ? undefined : MAX_OF_KIND)
    )
    .slice(0, MAX_SHOWN)
    .filter(candidate => !isTyped(candidate))
    .map(({ text, description }) => ({
      start: match.index,
      text,
      description
    }));
  return columns ? completions : [...completions, ...notes(typed, trans)];
}

/** Return what the administrator forbids, if the person may be typing that. */
function notes(typed: string, trans: TranslationBundle): ICompletion[] {
  const beginnings = {
    outputs: /^(cell|单元格|儲存格)/,
    files: /[./"']/
  };
  return (['outputs', 'files'] as const)
    .filter(isForbidden)
    .filter(feature => !typed || beginnings[feature].test(typed))
    .map(feature => ({
      start: 0,
      text: '',
      description: forbiddenText(feature, trans),
      isNote: true
    }));
}

/** Return whether the text begins the name or, unless it is a name, is in the other words. */
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
  { selectedLines: lines, target }: GenerationModel,
  trans: TranslationBundle
): ICandidate[] {
  const error = target.error();
  const hasOutput = !!target.output() || target.images().length > 0;
  const selection = lines ? linesText(lines, trans) : '';
  const shown = trans.__('what the cell shows');
  return [
    { text: '@error', description: error?.split('\n').pop() ?? '', is: error },
    { text: '@output', description: shown, is: hasOutput },
    { text: '@selection', description: selection, is: selection }
  ].filter(candidate => candidate.is);
}

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

/** Return a function that reads a folder on first use, and lists the names that have arrived. */
export function useFolderListing(
  listFiles: IPromptRowServices['listFiles']
): IRow['listFiles'] {
  const [folders, setFolders] = React.useState<
    ReadonlyMap<string, readonly string[]>
  >(new Map());
  const requested = React.useRef(new Set<string>());
  return folder => {
    if (!requested.current.has(folder)) {
      requested.current.add(folder);
      listFiles(folder).then(
        names => setFolders(others => new Map(others).set(folder, names)),
        () => undefined
      );
    }
    return folders.get(folder) ?? [];
  };
}
