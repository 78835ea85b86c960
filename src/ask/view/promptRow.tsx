/**
 * The prompt row: one place below a cell's code to ask, to see what is happening, to
 * accept or reject, and to say what to change.
 *
 * What must hold:
 * - The text field and the buttons stay where they are while an answer streams and when it
 *   ends (what grows, grows below them), and the focus stays in the field.
 * - JupyterLab's shortcuts are off in here: Shift+Enter would run the cell (P35).
 * - A screen reader is told start and end, not each token (P38).
 */
import { ReactWidget } from '@jupyterlab/ui-components';
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { DataFrameProfile } from '../../api/types';
import type { GenerationModel } from '../model/generation';
import type { IGenerationState } from '../model/state';
import type { IModels } from '../../tokens';
import { DataFramePicker } from './dataFramePicker';
import { askIcon } from '../../ui/icons';
import { Actions, Turn } from './promptActions';
import { PromptInput, isComposing } from './promptInput';
import { handleKey, isAskKey } from './promptKeys';
import { BranchChip, DataFrameChips, Failure, ModelLabel } from './promptParts';
import { serverText } from '../../labels/serverMessages';
import { joinSentences } from '../../labels/spacing';
import {
  announcement,
  noticeText,
  readOnlyText,
  wording
} from './promptLabels';

export interface IPromptRowServices {
  trans: TranslationBundle;
  listDataFrames: () => Promise<DataFrameProfile[]>;
  /** Open the row's menu at a place of the window. */
  openMenu: (x: number, y: number) => void;
  /** Save the notebook: its shortcut is off in the row. */
  save: () => void;
  /** Open the command palette: its shortcut is off in the row. False if there is none. */
  openPalette: () => boolean;
  /** Put a text on the clipboard. */
  copy: (text: string) => void;
  /** Choosing, connecting and installing models, if that is switched on. */
  models?: IModels;
}

export class PromptRow extends ReactWidget {
  constructor(
    readonly model: GenerationModel,
    private readonly _services: IPromptRowServices
  ) {
    super();
    const { trans } = _services;
    this.addClass('jp-AIServer-Ask');
    this.node.dataset.lmSuppressShortcuts = 'true';
    this.node.setAttribute('role', 'group');
    this.node.setAttribute('aria-label', trans.__('Ask for code'));
    // In Lumino's words: clicks in here are no clicks on the notebook.
    for (const type of ['mousedown', 'dblclick', 'contextmenu']) {
      this.node.addEventListener(type, event => event.stopPropagation());
    }
    // By name, so that a row that was disposed is let go: its model lives on.
    model.changed.connect(this.update, this);
  }

  /** Put the cursor into the text field, as soon as it is there. */
  focus(): void {
    const field = this.node.querySelector('textarea');
    this._box.focus = !field;
    field?.focus();
  }

  get hasFocus(): boolean {
    return this.node.contains(document.activeElement);
  }

  /** Show or hide the list of the kernel's DataFrames. */
  pickDataFrames(picking: boolean): void {
    this._picking = picking;
    this.update();
    if (!picking) {
      this.focus();
    }
  }

  protected override render(): React.JSX.Element {
    return (
      <Prompt
        model={this.model}
        state={this.model.state}
        services={this._services}
        picking={this._picking}
        pick={picking => this.pickDataFrames(picking)}
        focus={() => this.focus()}
        box={this._box}
      />
    );
  }

  private _picking = false;
  private readonly _box: IBox = { focus: false };
}

interface IBox {
  /** The cursor is wanted in the field as soon as it is there. */
  focus: boolean;
}

interface IPromptProps {
  model: GenerationModel;
  state: IGenerationState;
  services: IPromptRowServices;
  picking: boolean;
  pick: (picking: boolean) => void;
  focus: () => void;
  box: IBox;
}

function Prompt(props: IPromptProps): React.JSX.Element {
  const { model, state, services, picking, pick, focus, box } = props;
  const { trans } = services;
  const [text, setText] = React.useState(model.written || state.draft);
  // The row is drawn anew when the cell moves, and when it comes back into view.
  model.written = text;
  // The request comes back after a failure, unless something was written meanwhile.
  const given = React.useRef(state.draft);
  React.useEffect(() => {
    const before = given.current;
    given.current = state.draft;
    setText(now => (now === before ? state.draft : now || state.draft));
  }, [state.draft]);
  const asked = model.isBusy || state.phase === 'suggested';
  const aboutDisk = useOnce(state.storeNotices ?? NONE);
  const notice =
    noticeText(state, trans) ||
    (model.target.isReadOnly && !state.failure ? readOnlyText(trans) : '') ||
    (state.failure
      ? ''
      : joinSentences(...aboutDisk.map(text => serverText(text, trans))));

  // Where nothing can answer, that is offered to be changed, in place of an error.
  const lacking = state.failure?.code === 'no_model' ? services.models : null;
  const looking = React.useRef(false);
  const [refused, setRefused] = React.useState(0);
  const settings = async (provider: string) => {
    if (await services.models?.connect(provider)) {
      model.mended();
    }
    focus();
  };
  /** Whether there is a model to ask; looks once more where there was none. */
  const canAsk = async (): Promise<boolean> => {
    if (looking.current) {
      return false;
    }
    if (lacking) {
      // One may have come meanwhile; if not, the text stays where it is.
      looking.current = true;
      await model.lookForModel();
      looking.current = false;
      if (model.state.failure || model.state.phase === 'idle') {
        setRefused(count => count + 1);
        return false;
      }
    }
    return true;
  };
  const ask = async (words: string) => {
    if (await canAsk()) {
      void model.ask(words);
      focus();
    }
  };
  const send = async () => {
    if (!(await canAsk())) {
      return;
    }
    const now = model.written; // What was typed on while it was looked counts, too.
    if (now.trim()) {
      if (!model.isBusy) {
        pick(false);
        setText('');
      }
      void model.ask(now);
    }
  };

  const onKey = (event: React.KeyboardEvent): boolean => {
    const accel = event.ctrlKey || event.metaKey;
    if (accel && event.key.toLowerCase() === 's') {
      services.save();
    } else if (accel && event.shiftKey && event.key.toLowerCase() === 'c') {
      // JupyterLab's own key is off in the row, and the browser's would open its inspector.
      return services.openPalette();
    } else if (isAskKey(event)) {
      // The browser would go to its address bar. The person is where the key leads, already.
    } else if (event.key === 'Escape' && picking) {
      pick(false);
    } else if (
      event.key === 'Escape' &&
      asked &&
      text.trim() &&
      !model.isBusy
    ) {
      // First the change that is being written, then the suggestion. ArrowUp brings it back.
      model.intents.add(text);
      setText('');
    } else if (!handleKey(model, event, text)) {
      if (!accel || event.key !== 'Enter') {
        return false;
      }
      void send();
    }
    return true;
  };

  return (
    <div
      className="jp-AIServer-Ask-card"
      data-phase={state.phase}
      onKeyDown={event => {
        if (!event.defaultPrevented && !isComposing(event)) {
          if (onKey(event)) {
            event.preventDefault();
            event.stopPropagation();
          }
        }
      }}
    >
      <div className="jp-AIServer-Ask-said" role="status" aria-live="polite">
        {announcement(state, trans)}
      </div>
      {asked && (
        <div className="jp-AIServer-Ask-asked">
          <askIcon.react tag="span" className="jp-AIServer-Ask-spark" />
          <span className="jp-AIServer-Ask-intent" title={state.intent}>
            {state.intent}
          </span>
          <Turn state={state} trans={trans} />
        </div>
      )}
      {lacking
        ? lacking.renderOffer({ focusInput: focus, attempts: refused })
        : state.failure && (
            <Failure
              failure={state.failure}
              trans={trans}
              onRetry={() => void model.again()}
              onTakeOver={() => void model.takeOver()}
              onCopy={services.copy}
              onSettings={
                services.models && (provider => void settings(provider))
              }
            />
          )}
      {notice && <p className="jp-AIServer-Ask-notice">{notice}</p>}
      {picking && (
        <DataFramePicker
          list={services.listDataFrames}
          chosen={state.dataframes}
          trans={trans}
          onChoose={frames => model.setDataFrames(frames)}
          onClose={() => pick(false)}
        />
      )}
      <BranchChip
        branch={state.branch}
        trans={trans}
        onRemove={() => {
          model.branchFrom(null);
          focus();
        }}
      />
      <DataFrameChips
        dataframes={state.dataframes}
        trans={trans}
        onRemove={name =>
          model.setDataFrames(
            state.dataframes.filter(profile => profile.name !== name)
          )
        }
      />
      <div className="jp-AIServer-Ask-line">
        {!asked && (
          <askIcon.react tag="span" className="jp-AIServer-Ask-spark" />
        )}
        <PromptInput
          {...wording(model, trans)}
          text={text}
          box={box}
          intents={model.intents}
          onText={setText}
          onSend={send}
          onKey={onKey}
        />
        {!asked && <Turn state={state} trans={trans} />}
      </div>
      <div className="jp-AIServer-Ask-bar">
        <Actions
          model={model}
          state={state}
          trans={trans}
          text={text}
          send={send}
          ask={words => void ask(words)}
          copy={services.copy}
        />
        <span className="jp-AIServer-Ask-space" />
        <ModelLabel
          model={state.model}
          forCell={state.cellModel !== null}
          trans={trans}
          onPick={
            services.models &&
            ((x, y) =>
              services.models?.pick({
                x,
                y,
                cellModel: state.cellModel,
                chooseForCell: id => model.useModel(id)
              }))
          }
        />
        <button
          type="button"
          className="jp-AIServer-Ask-button jp-mod-quiet"
          aria-label={trans.__('More')}
          title={trans.__('More')}
          aria-haspopup="menu"
          onClick={event => {
            const box = event.currentTarget.getBoundingClientRect();
            services.openMenu(box.left, box.bottom);
          }}
        >
          ⋯
        </button>
      </div>
      {asked && state.explanation && (
        <p className="jp-AIServer-Ask-explanation">{state.explanation}</p>
      )}
    </div>
  );
}

const NONE: readonly string[] = [];
const shown = new Set<string>();

/** Those of the texts that no row of this page has shown before this one. */
function useOnce(texts: readonly string[]): readonly string[] {
  const mine = React.useRef(new Set<string>());
  texts
    .filter(text => !shown.has(text))
    .forEach(text => {
      shown.add(text);
      mine.current.add(text);
    });
  return texts.filter(text => mine.current.has(text));
}
