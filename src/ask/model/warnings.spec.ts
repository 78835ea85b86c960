import type { IWarning } from '../../kernel/check';
import { withOtherName } from './problems';

const warning = (change: Partial<IWarning>): IWarning => ({
  line: 1,
  column: 0,
  endLine: 1,
  endColumn: 5,
  kind: 'replaced',
  name: 'sales',
  rows: 400,
  width: 7,
  labels: [],
  otherName: 'sales_2',
  uses: [[1, 0]],
  ...change
});

const CODE = 'sales = sales.head()\n"😀", sales, sales.x';
const USES = [
  [1, 0],
  [2, 5],
  [2, 12]
] as const;

it('renames the result and its later uses only', () => {
  expect(withOtherName(CODE, warning({ uses: USES }))).toBe(
    'sales_2 = sales.head()\n"😀", sales_2, sales_2.x'
  );
});

it.each([
  ['no name is offered', CODE, { otherName: '' }],
  ['no use can be renamed', CODE, { uses: [] }],
  ['the code has changed', `x\n${CODE}`, {}],
  ['it was renamed before', CODE.replace('sales', 'sales_2'), {}]
])('returns null if %s', (_, code, change) => {
  expect(withOtherName(code, warning({ uses: USES, ...change }))).toBeNull();
});
