import type { IOutputAreaModel } from '@jupyterlab/outputarea';

import { outputText } from './outputText';

const text = (...outputs: object[]) =>
  outputText({
    length: outputs.length,
    get: (index: number) => ({ toJSON: () => outputs[index] })
  } as unknown as IOutputAreaModel);

describe('outputText', () => {
  it('joins streams and plain texts, without colours, pictures and errors', () => {
    const outputs = [
      { output_type: 'stream', name: 'stdout', text: ['a\n', '\u001b[31mb\n'] },
      { output_type: 'display_data', data: { 'image/png': 'iVBO' } },
      { output_type: 'execute_result', data: { 'text/plain': '   x\n0  1' } },
      { output_type: 'error', ename: 'E', evalue: 'e', traceback: ['secret'] }
    ];
    expect(text(...outputs)).toBe('a\nb\n   x\n0  1');
    expect(text()).toBe('');
    expect(outputText(undefined)).toBe('');
  });

  it('drops the text of a plot, and summarises charts with their data', () => {
    const display = (data: object) => ({ output_type: 'display_data', data });
    const figure = '<Figure size 640x480 with 1 Axes>';
    expect(text(display({ 'image/png': 'iV', 'text/plain': figure }))).toBe('');
    const formula = { 'image/png': 'iV', 'text/plain': 'x**2' };
    expect(text(display(formula))).toBe('x**2');
    expect(text(display({ 'text/plain': '<b object at 0x7f>' }))).toBe(
      '<b object at 0x7f>'
    );
    const plotly = { data: [{ type: 'bar', x: ['a'], y: [17] }], layout: {} };
    expect(
      text(
        display({
          'application/vnd.plotly.v1+json': plotly,
          'text/plain': 'Figure({…})'
        })
      )
    ).toBe('Plotly chart\n- bar, 1 point\n  x: a\n  y: 17');
    const vegaLite = { mark: 'bar', data: { values: [{ a: 1 }] } };
    for (const type of ['v5+json', 'v5.20.1+json', 'v6.json']) {
      const mime = `application/vnd.vegalite.${type}`;
      expect(text(display({ [mime]: vegaLite, 'text/plain': 'alt' }))).toBe(
        'Vega-Lite chart\n- bar\nData: 1 row'
      );
    }
  });

  it('shortens long outputs to their beginning and end', () => {
    const long = text({
      output_type: 'stream',
      text: `<${'x'.repeat(90_000)}>`
    });
    expect(long).toMatch(/^<x+\n\[…\]\nx+>$/);
    expect(long.length).toBeLessThanOrEqual(20_000);
  });
});
