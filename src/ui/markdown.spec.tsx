import * as React from 'react';
import { act } from 'react';
import { createRoot } from 'react-dom/client';

import { Markdown } from './markdown';

async function render(text: string): Promise<HTMLElement> {
  const node = document.createElement('div');
  await act(async () => {
    createRoot(node).render(<Markdown text={text} />);
    await import('marked');
  });
  return node;
}

describe('Markdown', () => {
  it('renders paragraphs, emphasis, code, lists and tables', async () => {
    const node = await render(
      'It **counts** `rows`.\n\n1. one\n2. *two*\n\n```python\ndf.shape\n```\n\n|a|b|\n|-|-|\n|1|2|'
    );
    expect(node.querySelector('strong')?.textContent).toBe('counts');
    expect(node.querySelector('p code')?.textContent).toBe('rows');
    expect(node.querySelectorAll('ol li')).toHaveLength(2);
    expect(node.querySelector('pre')?.textContent).toBe('df.shape');
    expect(node.querySelectorAll('td')).toHaveLength(2);
  });

  it.each([
    '![x](https://evil.example/a.png)',
    '![x][a]\n\n[a]: https://evil.example/a.png',
    '<img src="https://evil.example/a.png" onerror="alert(1)">',
    '<div style="background:url(https://evil.example)"><b>x</b></div>',
    '<script>alert(1)</script>',
    '[run](command:notebook:run-all)',
    '[x](javascript:alert(1))',
    '<https://evil.example>',
    '```mermaid\ngraph TD; A-->B; click A "https://evil.example"\n```'
  ])('P11: loads and runs nothing: %s', async text => {
    const node = await render(text);
    expect(
      node.querySelector('img, script, a, iframe, svg, button, [style], b')
    ).toBeNull();
    expect(node.textContent?.trim()).not.toBe('');
  });
});
