import { checkSuggestion } from './check';
import { returning } from './request.fakes';

const PROBLEM = {
  line: 1,
  column: 3,
  end_line: 1,
  end_column: 8,
  kind: 'missing_column',
  name: '价钱',
  message: 'df has no column',
  candidates: ['价格'],
  package: '',
  import: 'import re'
};

const EMPTY = { problems: [], warnings: [] };
const WARNING = {
  line: 1,
  column: 0,
  end_line: 1,
  end_column: 5,
  kind: 'replaced',
  name: 'sales',
  rows: 400,
  width: 7,
  labels: ['价格'],
  other_name: 'sales_2',
  uses: [[1, 0]]
};

describe('checkSuggestion', () => {
  it('returns the valid problems', async () => {
    const problems = [null, { ...PROBLEM, line: 'x' }, PROBLEM];
    const t = returning({ problems, warnings: [] });
    const { end_line: endLine, end_column: endColumn, ...rest } = PROBLEM;
    expect(await checkSuggestion(t.connection, 'df["价钱"]', '')).toEqual({
      problems: [{ ...rest, endLine, endColumn }],
      warnings: []
    });
  });

  it('returns the valid warnings', async () => {
    const invalid = [
      null,
      { ...WARNING, rows: '400' },
      { ...WARNING, uses: [[1]] },
      { ...WARNING, labels: null },
      { ...WARNING, other_name: 1 }
    ];
    const t = returning({ problems: [], warnings: [...invalid, WARNING] });
    const { warnings } = await checkSuggestion(t.connection, 'x', '');
    const { end_line: endLine, end_column: endColumn, ...rest } = WARNING;
    const { other_name: otherName, ...more } = rest;
    expect(warnings).toEqual([{ ...more, endLine, endColumn, otherName }]);
  });

  it('sends the code unchanged', async () => {
    const t = returning(EMPTY);
    const code = 'print("😀", \'"\', """\\n""")';
    await checkSuggestion(t.connection, code, '');
    const [{ user_expressions: sent }] = t.requestExecute.mock.calls[0];
    const base64 = /b64decode\(\\"([A-Za-z0-9+/=]+)\\"\)/.exec(
      sent.result
    )?.[1];
    const bytes = Uint8Array.from(atob(base64 ?? ''), c => c.charCodeAt(0));
    expect(new TextDecoder().decode(bytes)).toBe(code);
  });

  it('sends the request that the code answers', async () => {
    const t = returning(EMPTY);
    await checkSuggestion(t.connection, 'x', '价', {
      source: '价',
      mode: 'document'
    });
    const [{ user_expressions: sent }] = t.requestExecute.mock.calls[0];
    expect(sent.result).toMatch(
      /variables, own_code=.*b64decode\(\\"5Lu3\\"\).*, original=.*b64decode\(\\"5Lu3\\"\).*, mode=.*ZG9jdW1lbnQ=/
    );
  });

  it('rejects a result that is no list', async () => {
    const { connection } = returning({ problems: [] });
    await expect(checkSuggestion(connection, 'x', '')).rejects.toThrow();
  });
});
