import { StaticNotebook } from '@jupyterlab/notebook';

/**
 * "Cannot read properties of null (reading 'observe')", thrown once on a reload: JupyterLab 4.5
 * observes new cells a frame after they came, also where the notebook was detached meanwhile, as
 * when the layout is restored. All other calls of `observe`, in this extension and in what it
 * uses, are on what can't be null.
 */
describe('StaticNotebook', () => {
  it('throws by itself where it is detached in the frame in which cells came', () => {
    const observed = { observe: jest.fn(), disconnect: jest.fn() };
    const frames: (() => void)[] = [];
    const cells = {
      connect: (changed: () => void) => (cells.changed = changed)
    } as any;
    const notebook = {
      _contentVisibilityObserver: observed as unknown,
      _viewModel: { estimateWidgetSize: () => 1 },
      cellsArray: [{ node: document.createElement('div') }],
      model: { cells: { changed: cells } }
    };
    jest
      .spyOn(window, 'requestAnimationFrame')
      .mockImplementation(frame => frames.push(frame as () => void));
    const prototype = StaticNotebook.prototype as any;
    prototype._setupContentVisibilityObserver.call(notebook);
    cells.changed();
    notebook._contentVisibilityObserver = null; // as `onBeforeDetach` does
    expect(frames[0]).toThrow(/null.*observe/);
  });
});
