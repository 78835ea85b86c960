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

  it('shortens long outputs to their beginning and end', () => {
    const long = text({
      output_type: 'stream',
      text: `<${'x'.repeat(90_000)}>`
    });
    expect(long).toMatch(/^<x+\n\[…\]\nx+>$/);
    expect(long.length).toBeLessThanOrEqual(20_000);
  });
});
