/**
 * The prompt row below a cell's code: the input field, the progress, and the buttons to accept or
 * reject a suggestion.
 *
 * Invariants:
 * - The input field and the buttons don't move while an answer streams or when it ends, because
 *   content that grows is below them; and the focus stays in the field.
 * - JupyterLab's shortcuts are disabled in the row, because Shift+Enter would run the cell.
 * - Screen readers announce the start and the end of a generation, not each token.
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
import { useModelCheck } from './modelCheck';
import { PromptInput, isComposing } from './promptInput';
import { handleKey, isAskKey } from './promptKeys';
import { BranchChip, DataFrameChips, Failure, ModelLabel } from './promptParts';
import { useStoreNotice } from './storeNotices';
import {
  announcement,
  noticeText,
  readOnlyText,
  inputLabels
} from './promptLabels';

export interface IPromptRowServices {
  trans: TranslationBundle;
  listDataFrames: () => Promise<DataFrameProfile[]>;
  /** Open the row's menu at a position in the window. */
  openMenu: (x: number, y: number) => void;
  /** Save the notebook, because JupyterLab's shortcut for saving is disabled in the row. */
  save: () => void;
  /** Open the command palette, whose shortcut is disabled in the row; false if there is none. */
  openPalette: () => boolean;
  /** Chooses, connects and installs models; undefined if that plugin is disabled. */
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
    // Clicks in the row must not reach the notebook.
    for (const type of ['mousedown', 'dblclick', 'contextmenu']) {
      this.node.addEventListener(type, event => event.stopPropagation());
    }
    // Connect a method, so that Lumino disconnects it when the row is disposed, before the model.
    model.changed.connect(this.update, this);
  }

  /** Focus the input field, now or as soon as it is mounted. */
  focus(): void {
    const field = this.node.querySelector('textarea');
    this._focusRequest.focus = !field;
    field?.focus();
  }

  get hasFocus(): boolean {
    return this.node.contains(document.activeElement);
  }

  /** Show or hide the list of the kernel's DataFrames. */
  pickDataFrames(isPicking: boolean): void {
    this._isPicking = isPicking;
    this.update();
    if (!isPicking) {
      this.focus();
    }
  }

  protected override render(): React.JSX.Element {
    return (
      <Prompt
        model={this.model}
        state={this.model.state}
        services={this._services}
        isPicking={this._isPicking}
        pick={isPicking => this.pickDataFrames(isPicking)}
        focus={() => this.focus()}
        focusRequest={this._focusRequest}
      />
    );
  }

  private _isPicking = false;
  private readonly _focusRequest: IFocusRequest = { focus: false };
}

interface IFocusRequest {
  /** Whether to focus the input field once it is mounted. */
  focus: boolean;
}

interface IPromptProps {
  model: GenerationModel;
  state: IGenerationState;
  services: IPromptRowServices;
  isPicking: boolean;
  pick: (isPicking: boolean) => void;
  focus: () => void;
  focusRequest: IFocusRequest;
}

function Prompt(props: IPromptProps): React.JSX.Element {
  const { model, state, services, isPicking, pick, focus, focusRequest } =
    props;
  const { trans } = services;
  const [text, setText] = React.useState(model.inputText || state.draft);
  // Start with the model's text, because the row is recreated when the cell moves or comes back
  // into view.
  model.inputText = text;
  // A failed request is restored to the field, unless the person has typed something else.
  const lastDraft = React.useRef(state.draft);
  React.useEffect(() => {
    const previous = lastDraft.current;
    lastDraft.current = state.draft;
    setText(now => (now === previous ? state.draft : now || state.draft));
  }, [state.draft]);
  const hasRequest = model.isBusy || state.phase === 'suggested';
  const storeNotice = useStoreNotice(state.storeNotices ?? [], trans);
  const notice =
    noticeText(state, trans) ||
    (model.target.isReadOnly && !state.failure ? readOnlyText(trans) : '') ||
    (state.failure ? '' : storeNotice);

  // Without a usable model the row offers to set one up instead of showing an error.
  const setup = state.failure?.code === 'no_model' ? services.models : null;
  const { canAsk, refusals } = useModelCheck(model, !!setup);
  const openSettings = async (provider: string) => {
    if (await services.models?.connect(provider)) {
      model.clearModelFailure();
    }
    focus();
  };
  const ask = async (intent: string) => {
    if (await canAsk()) {
      void model.ask(intent);
      focus();
    }
  };
  const send = async () => {
    if (!(await canAsk())) {
      return;
    }
    const now = model.inputText; // Includes text that was typed during the check.
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
      // JupyterLab's shortcut is disabled in the row, and the browser's would open the inspector.
      return services.openPalette();
    } else if (isAskKey(event)) {
      // The row is already open. Without this, the browser would focus its address bar.
    } else if (event.key === 'Escape' && isPicking) {
      pick(false);
    } else if (
      event.key === 'Escape' &&
      hasRequest &&
      text.trim() &&
      !model.isBusy
    ) {
      // The first Escape clears the typed text, which ArrowUp restores; the next one rejects the
      // suggestion.
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
      {hasRequest && (
        <div className="jp-AIServer-Ask-asked">
          <askIcon.react tag="span" className="jp-AIServer-Ask-spark" />
          <span className="jp-AIServer-Ask-intent" title={state.intent}>
            {state.intent}
          </span>
          <Turn state={state} trans={trans} />
        </div>
      )}
      {setup
        ? setup.renderOffer({ focusInput: focus, attempts: refusals })
        : state.failure && (
            <Failure
              failure={state.failure}
              trans={trans}
              onRetry={() => void model.retry()}
              onTakeOver={() => void model.takeOver()}
              onSettings={
                services.models && (provider => void openSettings(provider))
              }
            />
          )}
      {notice && <p className="jp-AIServer-Ask-notice">{notice}</p>}
      {isPicking && (
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
        {!hasRequest && (
          <askIcon.react tag="span" className="jp-AIServer-Ask-spark" />
        )}
        <PromptInput
          {...inputLabels(model, trans)}
          text={text}
          focusRequest={focusRequest}
          intents={model.intents}
          onText={setText}
          onSend={send}
          onKey={onKey}
        />
        {!hasRequest && <Turn state={state} trans={trans} />}
      </div>
      <div className="jp-AIServer-Ask-bar">
        <Actions
          model={model}
          state={state}
          trans={trans}
          text={text}
          send={send}
          ask={intent => void ask(intent)}
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
                chooseForCell: id => model.setCellModel(id)
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
      {hasRequest && state.explanation && (
        <p className="jp-AIServer-Ask-explanation">{state.explanation}</p>
      )}
    </div>
  );
}
