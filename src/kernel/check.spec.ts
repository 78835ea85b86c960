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

const EMPTY = { problems: [], warnings: [], signals: [] };
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
    const t = returning({ problems, warnings: [], signals: [] });
    const { end_line: endLine, end_column: endColumn, ...rest } = PROBLEM;
    expect(await checkSuggestion(t.connection, 'df["价钱"]', '')).toEqual({
      problems: [{ ...rest, endLine, endColumn }],
      warnings: [],
      signals: []
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
    const t = returning({
      problems: [],
      warnings: [...invalid, WARNING],
      signals: []
    });
    const { warnings } = await checkSuggestion(t.connection, 'x', '');
    const { end_line: endLine, end_column: endColumn, ...rest } = WARNING;
    const { other_name: otherName, ...more } = rest;
    expect(warnings).toEqual([{ ...more, endLine, endColumn, otherName }]);
  });

  it('sends the code unchanged, and the request that it answers', async () => {
    const t = returning(EMPTY);
    const code = 'print("😀", \'"\', """\\n""")';
    const request = { source: '价', mode: 'document' };
    await checkSuggestion(t.connection, code, 'own', request);
    const [{ user_expressions: sent }] = t.requestExecute.mock.calls[0];
    const call = `check_cell(variables, ${JSON.stringify(code)}, "own", "价", "document", "")`;
    expect(sent.result).toContain(JSON.stringify(call));
  });

  it('rejects a result that is no list', async () => {
    const { connection } = returning({ problems: [] });
    await expect(checkSuggestion(connection, 'x', '')).rejects.toThrow();
  });
});
