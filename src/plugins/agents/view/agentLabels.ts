/** Texts about the runs of agents. */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { AgentLevel, RunSummary, CellPlan } from '../../../api/types';

export function stateText(
  state: RunSummary['state'],
  trans: TranslationBundle
): string {
  const texts: Record<RunSummary['state'], string> = {
    active: trans.__('working'),
    ended: trans.__('finished'),
    interrupted: trans.__('interrupted'),
    undone: trans.__('undone')
  };
  return texts[state];
}

/** Return the name of a level, and a sentence that says what the agent may do. */
export function levelText(
  level: AgentLevel,
  trans: TranslationBundle
): { name: string; sentence: string } {
  const texts: Record<AgentLevel, [name: string, sentence: string]> = {
    off: [
      trans.__('Off'),
      trans.__('It can neither read nor change this notebook.')
    ],
    read: [trans.__('Read'), trans.__('It reads cells, and changes nothing.')],
    propose: [
      trans.__('Propose'),
      trans.__('Its changes wait in the cells until you accept them.')
    ],
    edit: [
      trans.__('Edit'),
      trans.__(
        'It changes, adds and moves cells at once, and asks you before it deletes or runs any.'
      )
    ],
    all: [
      trans.__('Everything, until this page closes'),
      trans.__(
        'It also deletes cells and runs code without asking you. The settings say what it sees of your data.'
      )
    ]
  };
  const [name, sentence] = texts[level];
  return { name, sentence };
}

/** Describe what waits and what was decided: “2 waiting · 1 accepted”; empty if nothing. */
export function proposalsText(
  { open, accepted, rejected }: RunSummary['proposals'],
  trans: TranslationBundle
): string {
  return [
    open && trans._n('%1 waiting', '%1 waiting', open),
    accepted && trans._n('%1 accepted', '%1 accepted', accepted),
    rejected && trans._n('%1 rejected', '%1 rejected', rejected)
  ]
    .filter(Boolean)
    .join(' · ');
}

/** Return what the undo of a run does to a cell. */
export function undoText(
  { action }: Pick<CellPlan, 'action'>,
  trans: TranslationBundle
): string {
  const texts: Record<CellPlan['action'], string> = {
    restore: trans.__('goes back to how it was before'),
    merge: trans.__('loses the agent’s lines; the other changes stay'),
    remove: trans.__('is removed, because the agent added it'),
    return: trans.__('comes back'),
    keep: trans.__('stays as it is')
  };
  return texts[action];
}

export function conflictText(
  [first, last]: readonly number[],
  trans: TranslationBundle
): string {
  return first === last
    ? trans.__('Line %1 was changed after the agent, so it stays.', first)
    : trans.__(
        'Lines %1–%2 were changed after the agent, so they stay.',
        first,
        last
      );
}
