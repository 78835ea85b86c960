import type { Cell } from '@jupyterlab/cells';

import { cellErrorText } from './cellError';

const RED = '\u001b[0;31m';
const OFF = '\u001b[0m';
const ERROR = {
  output_type: 'error',
  ename: 'KeyError',
  evalue: "'prize'",
  traceback: [
    // pandas reports its internal error first.
    `${RED}KeyError${OFF}    Traceback (most recent call last)`,
    'File base.py:3816, in Index.get_loc\n-> 3816 return engine.get_loc(key)',
    'The above exception was the direct cause of the following exception:',
    `${RED}-----------------${OFF}`,
    `${RED}KeyError${OFF}    Traceback (most recent call last)`,
    `Cell In[3], line 2\n      1 x = 1\n${RED}----> 2 ${OFF}df['prize']`,
    'File frame.py:4090, in DataFrame.__getitem__\n-> 4090 self.get_loc(key)',
    `${RED}KeyError${OFF}: 'prize'`
  ]
};

function cell(outputs: unknown[], isDirty = false): Cell {
  const model = {
    isDirty,
    outputs: {
      length: outputs.length,
      get: (index: number) => ({
        type: (outputs[index] as { output_type: string }).output_type,
        toJSON: () => outputs[index]
      })
    }
  };
  return { model } as unknown as Cell;
}

describe('cellErrorText', () => {
  it('returns the cell’s line and the message, without colours', () => {
    const stream = { output_type: 'stream', name: 'stderr', text: 'bye' };
    expect(cellErrorText(cell([ERROR, stream]))).toBe(
      "----> 2 df['prize']\nKeyError: 'prize'"
    );
  });

  it('leaves out the name of the cell’s temporary file', () => {
    const error = {
      output_type: 'error',
      ename: 'SyntaxError',
      evalue: 'invalid syntax (691823508.py, line 1)',
      traceback: []
    };
    expect(cellErrorText(cell([error]))).toBe(
      'SyntaxError: invalid syntax (line 1)'
    );
    const evalue = 'invalid syntax (tools.py, line 1)';
    expect(cellErrorText(cell([{ ...error, evalue }]))).toContain('tools.py');
  });

  it('returns the cell’s line for chained exceptions', () => {
    const traceback = [
      `${RED}KeyError${OFF}    Traceback (most recent call last)`,
      'File base.py:3816, in Index.get_loc\n-> 3816     return get_loc(key)',
      `${RED}KeyError${OFF}: '價格'\n\nThe above exception was the direct cause:\n`,
      `${RED}KeyError${OFF}    Traceback (most recent call last)`,
      "Cell In[1], line 2\n      1 import 库\n----> 2 print(表['價格'])",
      'File frame.py:4090, in __getitem__\n-> 4090 self.get_loc(key)',
      `${RED}KeyError${OFF}: '價格'`
    ];
    const error = { ...ERROR, evalue: "'價格'", traceback };
    expect(cellErrorText(cell([error]))).toBe(
      "----> 2 print(表['價格'])\nKeyError: '價格'"
    );
  });

  it('ignores errors of older code', () => {
    expect(cellErrorText(cell([ERROR], true))).toBeNull();
    expect(
      cellErrorText(cell([{ output_type: 'stream', text: 'KeyError' }]))
    ).toBe(null);
    expect(cellErrorText(null)).toBeNull();
    expect(cellErrorText({ model: {} } as unknown as Cell)).toBeNull(); // Markdown
  });

  it('is short and tolerates malformed outputs', () => {
    const long = { ...ERROR, traceback: [], evalue: 'x'.repeat(5000) };
    expect(cellErrorText(cell([long]))).toHaveLength(1000);
    const malformed = {
      output_type: 'error',
      traceback: 'Error in f(): no such'
    };
    expect(cellErrorText(cell([malformed]))).toBe('Error in f(): no such');
  });
});
