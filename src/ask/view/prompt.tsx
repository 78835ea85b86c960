/**
 * The contents of a prompt row: the input field, the progress of a generation, and buttons, for
 * example to accept or reject a suggestion.
 *
 * Invariants:
 * - While a person types or an answer streams, the input field and the buttons don't move within the
 *   row: what comes and goes is below them, or on a line that keeps its height.
 * - Screen readers announce the start and the end of a generation, not each token.
 */
import * as React from 'react';

import type { GenerationModel } from '../model/generation';
import { type Remedy, withFirstLine } from '../model/problems';
import type { IGenerationState } from '../model/state';
import { DataFramePicker } from './chips/dataFramePicker';
import { FileButtons } from './chips/fileButtons';
import { isComposing } from '../../ui/composing';
import { askIcon } from '../../ui/icons';
import { Actions, RequestLine, RequestNumber } from './promptActions';
import { useModelCheck } from './modelCheck';
import { ProblemList, repairRequest } from './findings/problemList';
import { IFocusRequest, PromptInput } from './input/promptInput';
import { handleKey, isAskKey } from './input/promptKeys';
import type { IPromptRowServices } from './promptServices';
import { DataFrameChips } from './chips/dataFrameChips';
import { AnswerTabs } from './answers/answerTabs';
import { AnswerText } from './answers/answerText';
import { MemoryChip } from './chips/memoryChip';
import { MentionChips } from './chips/mentionChips';
import { ExampleChip, PastAnswerOffer } from './chips/pastAnswerChip';
import { QuestionButtons } from './chips/questionButtons';
import { RulesChips } from './chips/rulesChips';
import { SteadyLine } from './chips/steadyLine';
import { ScopeChips } from './chips/scopeChips';
import { ErrorButtons } from './errors/remedies';
import { WarningList } from './findings/warningList';
import { Failure, ModelChoice, MoreButton } from './promptParts';
import { RememberBar, proposeRequest } from './input/rememberBar';
import { useFolderListing } from './input/folderListing';
import { completeMention } from './input/mentionCompletion';
import { completeRecipe } from './input/recipeCompletion';
import {
  completeRemember,
  completeSlashWords,
  completedRequest
} from './input/slashWords';
import { Notices } from './notices';
import { announcement, fixRequest, inputLabels } from './promptLabels';

interface IPromptProps {
  model: GenerationModel;
  state: IGenerationState;
  services: IPromptRowServices;
  /** Whether the list of the kernel's DataFrames is shown. */
  isPicking: boolean;
  setPicking: (isPicking: boolean) => void;
  /** Focus the input field. */
  focus: () => void;
  focusRequest: IFocusRequest;
}

export function Prompt(props: IPromptProps): React.JSX.Element {
  const { model, state, services, isPicking, setPicking, focus, focusRequest } =
    props;
  const { trans } = services;
  // Store the text in `model`, too, because the row may be recreated, for example when the cell is
  // moved. The new row then starts with this text.
  const [text, setText] = React.useState(model.inputText || state.draft);
  model.inputText = text;
  // When the draft changes, copy it into the field unless the person has typed other text there.
  // For example, when a request fails, its text becomes the draft.
  const lastDraft = React.useRef(state.draft);
  React.useEffect(() => {
    const previous = lastDraft.current;
    lastDraft.current = state.draft;
    setText(current =>
      current === previous ? state.draft : current || state.draft
    );
  }, [state.draft]);
  const hasRequest =
    model.isBusy || state.phase === 'suggested' || state.phase === 'answered';

  // If no model is ready, the row helps to set up a model instead of showing the failure.
  const modelSetup =
    state.failure?.code === 'no_model' ? services.models : null;
  const dataframes = [...state.dataframes, ...model.attachedFrames(text)];
  const listFiles = useFolderListing(services.listFiles);
  const { canAsk, refusalCount } = useModelCheck(model, !!modelSetup);
  const openSettings = async (provider: string) => {
    if (await services.models?.connect(provider)) {
      model.clearModelFailure();
    }
    focus();
  };
  /** Send a request whose text doesn't come from the input field. */
  const start = async (request: () => Promise<void>) => {
    if (await canAsk()) {
      void request();
      focus();
    }
  };
  /** Send the text in the input field. */
  const send = async () => {
    if (await proposeRequest(model, setText)) {
      return;
    }
    if (!(await canAsk())) {
      return;
    }
    await model.waitForKernel();
    // Unlike `text`, this includes text that was typed meanwhile.
    const typed = model.inputText;
    const intent = await completedRequest(model, typed);
    if (intent.trim() && model.state.phase !== 'idle') {
      if (!model.isBusy) {
        setPicking(false);
        setText('');
      }
      void model.ask(intent, typed);
    }
  };

  const fix = () =>
    model.fix((error, problems) => fixRequest(error, problems, trans));
  const repair = () =>
    model.decision.repair(repairRequest(state.problems, trans));
  /** Revise the open suggestion. */
  const correct = (code: string) => {
    model.decision.correct(code);
    focus();
  };
  const applyRemedy = (line: Remedy) => {
    if (line === null) {
      services.runCellsAbove(model.target.cellId);
    } else if (model.suggestion) {
      model.decision.correct(withFirstLine(state.code, line));
    } else {
      model.decision.offerLine(line);
    }
    focus();
  };

  /** Handle a key of the row; return whether the key was handled. */
  const onKey = (event: React.KeyboardEvent): boolean => {
    const accel = event.ctrlKey || event.metaKey;
    if (accel && event.key.toLowerCase() === 's') {
      services.save();
    } else if (accel && event.shiftKey && event.key.toLowerCase() === 'c') {
      // JupyterLab's shortcut for its palette is disabled in the row. If the key isn't handled
      // here, some browsers open their developer tools.
      return services.openPalette();
    } else if (isAskKey(event)) {
      // The key opens the row, which is already open, so do nothing. But count the key as handled,
      // because some browsers would otherwise focus their address bar.
    } else if (event.key === 'Escape' && isPicking) {
      setPicking(false);
    } else if (
      event.key === 'Escape' &&
      hasRequest &&
      text.trim() &&
      !model.isBusy
    ) {
      // While an answer is shown, the first Escape only clears the typed text. ArrowUp brings the
      // text back. The next Escape rejects the suggestion, or closes the row if there is none.
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
      <div
        className="jp-AIServer-Ask-announcement"
        role="status"
        aria-live="polite"
      >
        {announcement(model, trans)}
      </div>
      {hasRequest && <RequestLine state={state} trans={trans} />}
      {state.phase === 'answered' && <AnswerText model={model} trans={trans} />}
      <AnswerTabs model={model} trans={trans} />
      {modelSetup
        ? modelSetup.renderOffer({ focusInput: focus, attempts: refusalCount })
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
      {isPicking && (
        <DataFramePicker
          listDataFrames={services.listDataFrames}
          chosen={state.dataframes}
          trans={trans}
          onChoose={frames => model.setDataFrames(frames)}
          onClose={() => setPicking(false)}
        />
      )}
      <RulesChips {...services} requestTime={state.requestTime} focus={focus} />
      <ScopeChips model={model} trans={trans} focus={focus} />
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
          complete={before => [
            ...completeSlashWords(model, before, trans),
            ...(model.memory ? completeRemember(before, trans) : []),
            ...completeRecipe(services.recipes.list, before),
            ...completeMention(model, before, listFiles, trans)
          ]}
          completionsLabel={trans.__('Suggestions for the request')}
        />
        {!hasRequest && <RequestNumber state={state} trans={trans} />}
      </div>
      <RememberBar {...{ model, trans, focus, canAsk, setText }} />
      <SteadyLine
        subject={[state.phase, state.turnId, state.detached.length].join()}
      >
        <MentionChips model={model} text={text} trans={trans} />
        <ExampleChip {...{ model, trans, focus }} />
        {model.memory && (
          <MemoryChip
            memory={model.memory.memory}
            use={services.memoryUse}
            trans={trans}
            focus={focus}
          />
        )}
        <DataFrameChips model={model} text={text} trans={trans} focus={focus} />
        <FileButtons {...{ model, text, listFiles, trans, setText, focus }} />
      </SteadyLine>
      <div className="jp-AIServer-Ask-bar">
        <Actions {...{ model, state, trans, text, send }}>
          <ErrorButtons
            target={model.target}
            version={state.kernel}
            trans={trans}
            apply={applyRemedy}
            fix={() => void start(fix)}
          />
        </Actions>
        <div className="jp-AIServer-Ask-tools">
          <ModelChoice {...{ model, services, focus }} />
          <MoreButton
            openMenu={(x, y) => {
              focus(); // The field gets the focus back when the menu closes.
              services.openMenu(x, y);
            }}
            trans={trans}
          />
        </div>
      </div>
      <QuestionButtons
        {...services}
        {...{ model, text, dataframes, setText, focus }}
      />
      <Notices model={model} services={services} />
      <PastAnswerOffer {...services} {...{ model, text, focus }} />
      <WarningList
        warnings={state.phase === 'suggested' ? state.warnings : []}
        trans={trans}
        code={state.code}
        onCorrect={correct}
      />
      <ProblemList
        problems={state.problems}
        trans={trans}
        code={state.code}
        onCorrect={correct}
        apply={applyRemedy}
        onRepair={() => void start(repair)}
      />
      {(hasRequest || state.phase === 'failed') &&
        state.phase !== 'answered' && (
          <AnswerText model={model} trans={trans} />
        )}
    </div>
  );
}
