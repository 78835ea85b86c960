/**
 * The slash words with which a request can begin. The server (`aiserver/prompts/modes.py`) must
 * accept their translations.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

export function modeLabels(trans: TranslationBundle) {
  const labels = [
    ['fix', trans.__('/fix'), trans.__('Fix a mistake')],
    ['explain', trans.__('/explain'), trans.__('Explain the code in words')],
    [
      'visualise',
      trans.__('/visualise'),
      trans.__('Draw a plot, with title and labels')
    ],
    [
      'refactor',
      trans.__('/refactor'),
      trans.__('Make the code clearer; it does the same')
    ],
    [
      'document',
      trans.__('/document'),
      trans.__('Add docstrings and comments, nothing else')
    ],
    ['test', trans.__('/test'), trans.__('Add tests below the code')],
    [
      'convert',
      trans.__('/convert'),
      trans.__('Rewrite for another library or language')
    ],
    [
      'optimise',
      trans.__('/optimise'),
      trans.__('Make the code faster; it does the same')
    ],
    ['create', trans.__('/create'), trans.__('Write new code for the cell')],
    ['edit', trans.__('/edit'), trans.__('Change the code')]
  ];
  return labels.map(([mode, slashWord, description]) => ({
    mode,
    slashWord,
    description
  }));
}

/** The modes that, in an empty cell, are about the code cell above, with descriptions. */
export function modesOfCellAbove(
  trans: TranslationBundle
): ReadonlyMap<string, string> {
  return new Map([
    ['explain', trans.__('Explain the cell above in words')],
    ['test', trans.__('Write tests for the cell above')],
    [
      'convert',
      trans.__('Rewrite the cell above for another library or language')
    ]
  ]);
}

/** Null for a usual mode, or if the request begins with a slash word. */
export function slashWordOf(
  mode: string | undefined,
  intent: string,
  trans: TranslationBundle
): string | null {
  if (mode === 'create' || mode === 'edit' || intent.startsWith('/')) {
    return null;
  }
  const label = modeLabels(trans).find(label => label.mode === mode);
  return label?.slashWord ?? null;
}
