/** The timeline of the notebook: an activity chart, a slider, and buttons for playback. */
import type { PageLabels } from './labels';
import { chip, el, iconButton, replaceChildren, setIcon } from './dom';
import { authorOf } from './labels';

const SPEEDS = [0.5, 1, 2, 4, 8];
/** The time for each moment in playback at speed 1. */
const MOMENT_MS = 1200;
const MAX_BARS = 160;

export class Player {
  /** @param _onMove - Called with the moment to go to, which it must clamp. */
  constructor(
    private readonly _labels: PageLabels,
    private readonly _onMove: (moment: number) => void
  ) {
    const { trans, replay } = _labels;
    this._slider = el('input', {
      type: 'range',
      class: 'time',
      min: 0,
      max: replay.lastMoment,
      'aria-label': trans.__('Notebook timeline'),
      input: () => _onMove(Number(this._slider.value))
    });
    this._playButton = iconButton('play', trans.__('Play'), () =>
      this.toggle()
    );
    const speed = trans.__('Speed');
    this._speedSelect = el(
      'select',
      { 'aria-label': speed, title: speed },
      SPEEDS.map(value =>
        el('option', { value, selected: value === 1 }, `${value}×`)
      )
    );
    this.node = el(
      'div.player',
      el(
        'div.buttons',
        iconButton('first', trans.__('First change'), () => _onMove(0)),
        iconButton('back', trans.__('Previous change'), () => this.move(-1)),
        this._playButton,
        iconButton('forward', trans.__('Next change'), () => this.move(1)),
        iconButton('last', trans.__('Last change'), () =>
          _onMove(replay.lastMoment)
        ),
        this._speedSelect
      ),
      el('div.track', activityChart(_labels), this._slider),
      this._caption
    );
  }

  readonly node: HTMLElement;

  show(moment: number): void {
    const { trans, replay } = this._labels;
    const { moments } = replay.data;
    const { timestamp, saved } = moments[moment];
    this._moment = moment;
    this._slider.value = String(moment);
    const title = this._labels.moment(moment);
    const position = trans.__('Change %1 of %2', moment + 1, moments.length);
    this._slider.setAttribute(
      'aria-valuetext',
      trans.__('%1: %2', position, title)
    );
    replaceChildren(
      this._caption,
      el('strong', title),
      el('span', `${position} · ${this._labels.time(timestamp)}`),
      saved && chip(trans.__('saved'), 'quiet')
    );
  }

  move(offset: 1 | -1): void {
    this._onMove(this._moment + offset);
  }

  /** Playback starts at the first moment if the current one is the last. */
  toggle(): void {
    if (this._timer !== undefined) {
      this.pause();
      return;
    }
    const { trans, replay } = this._labels;
    setIcon(this._playButton, 'pause', trans.__('Pause'));
    this._caption.setAttribute('aria-live', 'off');
    if (this._moment === replay.lastMoment) {
      this._onMove(0);
    }
    const scheduleMove = () => {
      const delay = MOMENT_MS / Number(this._speedSelect.value);
      this._timer = window.setTimeout(() => {
        this.move(1);
        if (this._moment < replay.lastMoment) {
          scheduleMove();
        } else {
          this.pause();
        }
      }, delay);
    };
    scheduleMove();
  }

  pause(): void {
    window.clearTimeout(this._timer);
    this._timer = undefined;
    setIcon(this._playButton, 'play', this._labels.trans.__('Play'));
    this._caption.setAttribute('aria-live', 'polite');
  }

  private _moment = 0;
  private _timer: number | undefined;
  private readonly _slider: HTMLInputElement;
  private readonly _playButton: HTMLButtonElement;
  private readonly _speedSelect: HTMLSelectElement;
  private readonly _caption = el('p.caption', { 'aria-live': 'polite' });
}

function activityChart({ replay }: PageLabels): HTMLElement {
  const { moments } = replay.data;
  const kinds = ['model', 'person', 'other'] as const;
  const length = Math.min(MAX_BARS, moments.length);
  const bars = Array.from({ length }, () => ({
    model: 0,
    person: 0,
    other: 0
  }));
  moments.forEach(({ steps: [first] }, index) => {
    // A moment without steps, such as a change of the cells' order, counts as made by a person.
    const step = first && replay.cells[first[0]].steps[first[1]];
    const author = step ? authorOf(step) : 'person';
    const kind = author === 'model' || author === 'person' ? author : 'other';
    bars[Math.floor((index * length) / moments.length)][kind]++;
  });
  const heights = bars.map(
    ({ model, person, other }) => model + person + other
  );
  const highest = Math.max(1, ...heights);
  const segment = (kind: string, count: number) => {
    const node = el('span', { class: kind });
    node.style.height = `${(100 * count) / highest}%`;
    return node;
  };
  return el(
    'div.activity',
    { 'aria-hidden': 'true' },
    bars.map(bar =>
      el(
        'span.bar',
        kinds.map(kind => segment(kind, bar[kind]))
      )
    )
  );
}
