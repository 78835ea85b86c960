import { selectLines } from '../../model/context/selection';
import { setState, setup, suggest } from '../promptRow.fakes';

it('names the lines that were selected, also for a shorter suggestion', async () => {
  const source = 'a = 1\nb = 2\nc = 3\nd = 4';
  const t = await setup({ source });
  t.model.setState({ selection: selectLines(source, 6, 17) });
  await t.settle();
  expect(t.row.node.textContent).toContain('Only lines 2–3');
  suggest(t.model);
  setState(t.model, { code: 'a = 1\nx = 5\nd = 4' });
  t.row.update();
  await t.settle();
  expect(t.model.selectedLines).toEqual({ first: 2, last: 2 });
  expect(t.row.node.textContent).toContain('Only lines 2–3');
});
