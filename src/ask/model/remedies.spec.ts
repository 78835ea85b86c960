import type { IProblem } from '../../kernel/check';
import { setup } from './generation.fakes';
import { findRemedies, isForModel, remediesOf } from './problems';

const problem = (name: string, change: Partial<IProblem> = {}): IProblem => ({
  line: 1,
  column: 0,
  endLine: 1,
  endColumn: 1,
  kind: 'undefined_name',
  name,
  message: '',
  candidates: [],
  ...change
});
const PACKAGE = problem('openpyxl', {
  kind: 'missing_module',
  package: 'openpyxl'
});
const IMPORT = problem('np', { import: 'import numpy as np' });
const ABOVE = problem('sales', { isDefinedAbove: true });
const INSTALL = '%pip install openpyxl';

describe('remediesOf', () => {
  it('lists what helps once, in the order in which it helps', () => {
    const above = { ...IMPORT, isDefinedAbove: true };
    const remedies = remediesOf([
      IMPORT,
      IMPORT,
      above,
      ABOVE,
      PACKAGE,
      PACKAGE
    ]);
    expect(remedies).toEqual([INSTALL, null, 'import numpy as np']);
    expect(remediesOf([problem('x'), problem('y', { import: '' })])).toEqual(
      []
    );
  });

  it('leaves to a model only what a model can mend', () => {
    expect([PACKAGE, ABOVE, IMPORT, problem('x')].map(isForModel)).toEqual([
      false,
      false,
      true,
      true
    ]);
  });
});

describe('findRemedies', () => {
  /** The check knows a package, an import and a cell above. */
  async function find(error: string | null, source = 'np.pi + sales') {
    const checked: string[] = [];
    const problemsOf = new Map([
      ['import openpyxl', PACKAGE],
      ['import lxml', { ...PACKAGE, package: 'lxml' }],
      ['np', IMPORT],
      ['sales', ABOVE]
    ]);
    const remedies = await findRemedies({
      error: () => error,
      source: () => source,
      check: async text => {
        checked.push(text);
        return text
          .split(text.includes('import') ? '\n' : / \+ |\.pi/)
          .flatMap(part => problemsOf.get(part) ?? []);
      }
    });
    return { remedies, checked };
  }

  it.each([
    ["ModuleNotFoundError: No module named 'openpyxl'"],
    ["---> 2 df.to_excel(x)\nModuleNotFoundError: No module named 'openpyxl'"],
    ["ImportError: Missing optional dependency 'openpyxl'.  Use pip or conda."],
    ['ImportError: `Import openpyxl` failed. Use pip to install openpyxl.'],
    ['ImportError: openpyxl is required for this.'],
    [
      "ImportError: Unable to find a usable engine; tried using: 'openpyxl', 'x'."
    ]
  ])('offers to install the package: %s', async error => {
    expect((await find(error)).remedies).toEqual([INSTALL]);
  });

  it('looks for the module that the message begins with, too', async () => {
    const { remedies } = await find('ImportError: lxml not found, install it');
    expect(remedies).toEqual(['%pip install lxml']);
  });

  it.each([
    ["ImportError: cannot import name 'openpyxl' from 'x'"],
    ["ModuleNotFoundError: No module named 'my_secret_tools'"],
    ["ValueError: 'openpyxl'"],
    [null]
  ])('offers nothing for %s', async error => {
    expect((await find(error)).remedies).toEqual([]);
  });

  it('offers to run the cells above, or the import', async () => {
    const undefinedName = (name: string) =>
      `NameError: name '${name}' is not defined. Did you mean: 'x'?`;
    expect((await find(undefinedName('sales'))).remedies).toEqual([null]);
    const line = 'import numpy as np';
    const { remedies, checked } = await find(undefinedName('np'));
    expect(remedies).toEqual([line]);
    expect(checked).toEqual(['np.pi + sales']);
    // A function's body isn't checked fully, so the name is checked alone.
    const inFunction = await find(undefinedName('np'), 'def f(): return x');
    expect(inFunction.remedies).toEqual([line]);
    expect((await find(undefinedName('gone'))).remedies).toEqual([]);
  });

  it('offers nothing if the kernel is busy', async () => {
    const target = {
      error: () => "ModuleNotFoundError: No module named 'openpyxl'",
      source: () => '',
      check: async () => null
    };
    expect(await findRemedies(target)).toEqual([]);
  });
});

describe('offerLine', () => {
  it('shows the line as a suggestion, without a request', async () => {
    const t = setup({ source: 'df.to_excel("a")' });
    t.model.open();
    t.model.decision.offerLine(INSTALL);
    const added = '%pip install openpyxl\ndf.to_excel("a")';
    expect(t.model.state).toMatchObject({ phase: 'suggested', code: added });
    expect(t.source()).toBe('df.to_excel("a")');
    await t.model.decision.accept();
    expect(t.source()).toBe(added);
    expect(t.bodies).toEqual([]);
    // In the history, AI Server made the change, not the person or a model.
    expect(t.recorded).toEqual([
      {
        type: 'edit',
        source: added,
        contributor: { kind: 'program', name: 'AI Server' }
      }
    ]);
  });

  it('records nothing if it is rejected, and keeps the number of the next request', async () => {
    const t = setup();
    t.model.open();
    t.model.setState({ turnId: 3 });
    t.model.decision.offerLine(INSTALL);
    await t.model.decision.reject();
    expect(t.recorded).toEqual([]);
    expect(t.model.nextTurnId).toBe(3);
    expect(t.model.state).toMatchObject({ phase: 'idle', isRemedy: false });
  });

  it('can be changed by a request, which begins a turn', async () => {
    const t = setup();
    t.model.open();
    t.model.decision.offerLine(INSTALL);
    await t.answer('use csv', 'y');
    expect(t.bodies[0]).toMatchObject({
      source: '%pip install openpyxl\nx = 1',
      parentTurnId: undefined
    });
    expect(t.model.state).toMatchObject({ turnId: 1, isRemedy: false });
  });

  it('asks no model for another line', async () => {
    const t = setup();
    t.model.open();
    t.model.decision.offerLine(INSTALL);
    await t.model.decision.regenerateChange(0);
    expect(t.bodies).toEqual([]);
    expect(t.model.state).toMatchObject({ phase: 'suggested', isRemedy: true });
  });

  it('replaces no open suggestion and no cell that was deleted', async () => {
    const t = setup();
    t.model.open();
    await t.answer('do it', 'y');
    t.model.decision.offerLine(INSTALL);
    expect(t.model.state.code).toBe('y');
    const deleted = setup({ source: null });
    deleted.model.open();
    deleted.model.decision.offerLine(INSTALL);
    expect(deleted.model.suggestion).toBeNull();
  });
});
