import * as redrawn from '../../../cells/plots/images';
import { MODEL, done, setup, start } from '../generation.fakes';
import { IMention, mentionsIn, needsConsent } from './mentions';

const CELL = { cellId: 'c3', source: 'n', error: '', output: '42', images: [] };
const MENTION = { kind: 'cell', name: '@cell3', cellId: 'c3' } as const;
const kernel = {
  frames: [{ name: 'df', kind: 'x', rowCount: 1, columnCount: 1, columns: [] }],
  variables: [
    { name: 'run', kind: 'dict' },
    { name: 'limit', kind: 'float', value: '0.3' },
    { name: '配置', kind: 'dict of 1', value: "{'a': 1}" },
    { name: '配置表', kind: 'list of 1', value: '[1]' },
    { name: 'cell3', kind: 'int', value: '3' }
  ]
};

function names(intent: string, error: string | null = null) {
  const { target } = setup();
  target.error.mockReturnValue(error);
  target.cellAt.mockImplementation(number => (number === 3 ? CELL : null));
  return mentionsIn(intent, target, kernel).map(({ kind, name }) => [
    kind,
    name
  ]);
}

describe('mentionsIn', () => {
  it('returns cells that exist, in any language, once', () => {
    expect(names('like @cell3 and @cell3, not @cell4')).toEqual([
      ['cell', '@cell3']
    ]);
    expect(names('仿照@单元格3和 @Cell 3')).toEqual([
      ['cell', '@单元格3'],
      ['cell', '@Cell 3']
    ]);
  });

  it('returns the error, if there is one', () => {
    expect(names('why @error?')).toEqual([]);
    expect(names('why @error? @errors', 'KeyError')).toEqual([
      ['error', '@error']
    ]);
    expect(names('@错误是什么', 'KeyError')).toEqual([['error', '@错误']]);
  });

  it('returns the cell’s output, if there is one', () => {
    const { target } = setup();
    const mentionsOf = (intent: string) => mentionsIn(intent, target, kernel);
    expect(mentionsOf('explain @output')).toEqual([]);
    target.output.mockReturnValue('mean 42.5');
    expect(mentionsOf('explain @output, @outputs')).toEqual([
      { kind: 'cell', name: '@output', output: 'mean 42.5' }
    ]);
    expect(mentionsOf('解释@输出')[0].name).toBe('@输出');
    expect(needsConsent(mentionsOf('@output')[0], false)).toBe(true);
    const plots = [{ mime: 'image/png', base64: 'iV' }];
    target.output.mockReturnValue('');
    target.images.mockReturnValue(plots);
    expect(mentionsOf('explain @output')).toEqual([
      { kind: 'cell', name: '@output', output: '', plots }
    ]);
  });

  it('returns files, but no variables, decorators and addresses', () => {
    expect(names('as in @src/util.py, and @"my notes.md".')).toEqual([
      ['file', '@src/util.py'],
      ['file', '@"my notes.md"']
    ]);
    expect(names('读取@数据/说明.txt，画图')).toEqual([
      ['file', '@数据/说明.txt']
    ]);
    for (const text of ['@df.js', 'a@b.md', '@lru_cache', '@ x.py']) {
      expect(names(text)).toEqual([]);
    }
  });
});

describe('mentionsIn, for variables', () => {
  it('returns those that have a value, once', () => {
    expect(names('above @limit, @limit and limit; @run')).toEqual([
      ['variable', '@limit']
    ]);
    const { target } = setup();
    expect(mentionsIn('@limit', target, kernel)[0].output).toBe('0.3');
  });

  it('returns the longest name, before a Chinese word, too', () => {
    expect(names('按@配置表 和@limit以上')).toEqual([
      ['variable', '@配置表'],
      ['variable', '@limit']
    ]);
    expect(names('@limits, a@limit, @limit_2')).toEqual([]);
  });

  it('prefers cells and files with the same name', () => {
    expect(names('@cell3 @limit.yaml @limit.')).toEqual([
      ['cell', '@cell3'],
      ['file', '@limit.yaml'],
      ['variable', '@limit']
    ]);
  });
});

describe('mentionsIn, in R', () => {
  const frame = kernel.frames[0];
  const inR = {
    language: 'r' as const,
    frames: ['train.data', 'sales.csv', '销售.数据'].map(name => ({
      ...frame,
      name
    })),
    variables: ['train', 'limit.low', 'limit', '销售'].map(name => ({
      name,
      kind: 'numeric',
      value: '3'
    }))
  };
  const namesInR = (intent: string) =>
    mentionsIn(intent, setup().target, inR).map(({ name }) => name);

  it.each([
    '@train.data ',
    '@train.data.price',
    '按@train.data画图',
    '@销售.数据 ',
    '@sales.csv.',
    '@sales.csv画图'
  ])('returns neither a variable nor a file for a DataFrame: %s', text => {
    expect(namesInR(text)).toEqual([]);
  });

  it('returns the variable whose whole name is mentioned', () => {
    expect(namesInR('@limit.low, @limit. @limit.high')).toEqual([
      '@limit.low',
      '@limit'
    ]);
    expect(namesInR('@limit.high @train.rows')).toEqual([]);
    expect(namesInR('@train.')).toEqual(['@train']);
  });

  it('returns files with other names', () => {
    expect(namesInR('@my.sales.csv')).toEqual(['@my.sales.csv']);
  });
});

describe('needsConsent', () => {
  it('is about outputs, values and texts, not code, errors and columns', () => {
    const needs = (mention: Omit<IMention, 'name'>, seesImages = false) =>
      needsConsent({ name: '@x', ...mention }, seesImages);
    expect(needs({ kind: 'variable', output: '4' })).toBe(true);
    expect(needs({ kind: 'cell', output: '4' })).toBe(true);
    expect(needs({ kind: 'cell' })).toBe(false);
    expect(needs({ kind: 'error' })).toBe(false);
    expect(needs({ kind: 'file', file: 'a.py' })).toBe(true);
    expect(needs({ kind: 'file', file: 'a.csv' })).toBe(false);
  });

  it('is about a plot only if the model sees images (P15)', () => {
    const plots = [{ mime: 'image/png', base64: 'iV' }];
    const mention = {
      kind: 'cell',
      name: '@output',
      output: '',
      plots
    } as const;
    expect(needsConsent(mention, true)).toBe(true);
    expect(needsConsent(mention, false)).toBe(false);
  });
});

describe('a request with mentions', () => {
  it('contains what they are when it is sent, and the person’s choice', async () => {
    const t = setup();
    t.model.open();
    t.target.cellAt.mockReturnValue({ ...CELL, output: '43' });
    t.model.share(MENTION, true);
    void t.model.ask('like @cell3');
    (await t.requested(1)).push(start(1));
    expect(t.bodies[0].context?.mentions).toEqual([
      {
        kind: 'cell',
        name: '@cell3',
        cellId: 'c3',
        source: 'n',
        error: '',
        output: '43',
        shared: true
      }
    ]);
  });

  it('tells which outputs the model got', async () => {
    const t = setup();
    t.model.open();
    t.target.output.mockReturnValue('mean 42.5');
    void t.model.ask('explain @output');
    (await t.requested(1)).push(start(1), done(1, ''), null);
    await t.phase('answered');
    expect(t.model.handedOutput?.text).toContain('mean 42.5');
    // A remote model got it only if the person allowed that.
    const remote = { ...MODEL, onThisMachine: false } as never;
    t.model.setState({ askedModel: remote });
    expect(t.model.handedOutput).toBeNull();
    t.model.share(t.model.sentMentions[0], true);
    void t.model.ask('explain @output again');
    (await t.requested(2)).push(start(2), done(2, ''), null);
    await t.phase('answered');
    t.model.setState({ askedModel: remote });
    expect(t.model.handedOutput?.text).toContain('mean 42.5');
  });

  it('tells whether the model saw a plot', async () => {
    const t = setup();
    t.model.open();
    t.target.images.mockReturnValue([{ mime: 'image/png', base64: 'iV' }]);
    const ask = async (turnId: number) => {
      void t.model.ask('explain @output');
      (await t.requested(turnId)).push(start(turnId), done(turnId, ''), null);
      await t.phase('answered');
      t.model.setState({ askedModel: { ...MODEL, seesImages: true } });
    };
    // The browser of this test can't draw, so the image is left out.
    await ask(1);
    expect(t.bodies[0].context?.mentions).toEqual([
      { kind: 'cell', name: '@output', output: '', omittedImages: 1 }
    ]);
    expect(t.model.handedOutput).toBeNull();
    const blob = { arrayBuffer: async () => new ArrayBuffer(3) } as Blob;
    jest
      .spyOn(redrawn, 'redrawImage')
      .mockResolvedValue({ blob, width: 1, height: 1 });
    await ask(2);
    expect(t.model.handedOutput).toEqual({ text: '\n', hasImages: true });
    t.model.setState({ askedModel: MODEL });
    expect(t.model.handedOutput).toBeNull();
  });

  it('shares a plot only if it was chosen for a model that sees images (P15)', () => {
    const t = setup();
    t.target.output.mockReturnValue('4');
    t.target.images.mockReturnValue([{ mime: 'image/png', base64: 'iV' }]);
    t.model.open();
    const mention = () => t.model.mentions('explain @output')[0];
    t.model.setState({ model: { ...MODEL, seesImages: false } });
    t.model.share(mention(), true);
    expect(mention()).toMatchObject({ shared: true });
    expect(mention().sharesPlots).toBeUndefined();
    t.model.setState({ model: { ...MODEL, seesImages: true } });
    expect(mention().sharesPlots).toBeUndefined();
    t.model.share(mention(), false);
    t.model.share(mention(), true);
    expect(mention().sharesPlots).toBe(true);
    t.model.share(mention(), false);
    expect(t.model.state.shared).toEqual([]);
  });

  it('has no value of a variable, unless it is mentioned (P15)', async () => {
    const t = setup();
    t.target.variables.mockResolvedValue(kernel);
    t.model.open();
    await t.model.readKernel();
    await t.answer('above limit', 'y');
    expect(t.bodies[0].context?.variables).toContainEqual({
      name: 'limit',
      kind: 'float'
    });
    expect(JSON.stringify(t.bodies[0])).not.toContain('0.3');
    expect(t.bodies[0].context?.mentions).toBeUndefined();
    void t.model.ask('above @limit');
    (await t.requested(2)).push(start(2));
    expect(t.bodies[1].context?.mentions).toEqual([
      { kind: 'variable', name: '@limit', output: '0.3' }
    ]);
  });

  it('shares nothing with the request after the decision', async () => {
    const t = setup();
    t.model.open();
    t.target.cellAt.mockReturnValue(CELL);
    t.model.share(MENTION, true);
    t.model.close();
    t.model.open();
    expect(t.model.mentions('like @cell3')[0].shared).toBeUndefined();
    t.model.share(MENTION, true);
    t.model.share(MENTION, false);
    expect(t.model.mentions('like @cell3')[0].shared).toBeUndefined();
  });

  it('reads them again for another try, with the person’s choice of then', async () => {
    const t = setup();
    t.model.open();
    t.target.cellAt.mockReturnValue(CELL);
    t.model.share(MENTION, true);
    void t.model.ask('like @cell3');
    (await t.requested(1)).push(new Error('gone'));
    await t.phase('failed');
    t.model.share(MENTION, false);
    t.target.cellAt.mockReturnValue({ ...CELL, output: '44' });
    void t.model.retry();
    (await t.requested(2)).push(start(1));
    const [mention] = t.bodies[1].context?.mentions ?? [];
    expect([mention.output, mention.shared]).toEqual(['44', undefined]);
  });

  it('does not share another cell that has the number now', async () => {
    const t = setup();
    t.model.open();
    t.model.share(MENTION, true);
    t.target.cellAt.mockReturnValue({ ...CELL, cellId: 'other' });
    expect(t.model.mentions('like @cell3')[0].shared).toBeUndefined();
  });

  it('mentions nothing in an error, but keeps mentions in corrections', async () => {
    const t = setup();
    t.model.open();
    t.target.cellAt.mockReturnValue(CELL);
    t.target.error.mockReturnValue("KeyError: '@cell3'");
    void t.model.fix(error => `Fix: ${error}`);
    (await t.requested(1)).push(start(1), done(1, 'y'), null);
    await t.phase('suggested');
    expect(t.bodies[0].context?.mentions).toBeUndefined();
    await t.answer('like @cell3', 'z');
    void t.model.decision.repair('correct z');
    (await t.requested(3)).push(start(3));
    expect(t.bodies[2].mode).toBe('repair');
    expect(t.bodies[2].context?.mentions).toHaveLength(1);
  });
});
