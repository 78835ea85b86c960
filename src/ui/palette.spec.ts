import { focusAfterPalette } from './palette';

describe('focusAfterPalette', () => {
  const [input, row] = [0, 1].map(() => document.createElement('input'));
  const palette = document.createElement('div');
  palette.className = 'jp-ModalCommandPalette';
  palette.append(input);
  document.body.append(palette, row);

  it('takes the focus back from what the palette activates', async () => {
    input.focus();
    focusAfterPalette(() => row.focus());
    input.focus(); // In place of the cell that JupyterLab focuses.
    await new Promise(resolve => setTimeout(resolve));
    expect(document.activeElement).toBe(row);
  });

  it('focuses once without the palette', async () => {
    row.focus();
    const focus = jest.fn();
    focusAfterPalette(focus);
    await new Promise(resolve => setTimeout(resolve));
    expect(focus).toHaveBeenCalledTimes(1);
  });
});
