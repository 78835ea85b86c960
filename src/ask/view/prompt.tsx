/**
 * The contents of a prompt row.
 *
 * Invariants: while a person types or an answer streams, the input field and the buttons don't move:
 * what comes and goes is below them, or on a line that keeps its height. Screen readers announce the
 * start and the end of a generation, not each token.
 */
import * as React from 'react';

import { isComposing } from '../../ui/keys';
import { askIcon } from '../../ui/icons';
import type { GenerationModel } from '../model/generation';
import { type Remedy, withFirstLine } from '../model/problems';
import { AnswerTabs, AnswerText } from './parts/answers';
import {
  ExampleChip,
  MemoryChip,
  MentionChips,
  ScopeChips,
  SteadyLine
} from './parts/chips';
import { FileButtons, QuestionButtons } from './parts/dataButtons';
import { DataFrameChips, DataFramePicker } from './parts/dataFrames';
import { ErrorButtons, Findings, repairRequest } from './parts/findings';
import {
  completeRequest,
  completedRequest,
  useFolderListing
} from './input/completions';
import { type IFocusRequest, PromptInput } from './input/promptInput';
import { handleKey, isAskKey } from './input/promptKeys';
import { Failure, Notices, RememberBar, proposeRequest } from './parts/notices';
import { PastAnswerOffer } from './parts/pastAnswer';
import {
  Actions,
  ModelChoice,
  MoreButton,
  RequestLine,
  RequestNumber
} from './promptActions';
import { announcement, fixRequest, inputLabels } from './promptLabels';
import type { IPromptRowServices, IRow } from './row';
import { RulesChips } from './parts/rules';

/** If no model is ready, look for one before a request. */
function useModelCheck(model: GenerationModel, hasNoModel: boolean) {
  const isChecking = React.useRef(false);
  const [refusalCount, setRefusalCount] = React.useState(0);
  const canAsk = async (): Promise<boolean> => {
    if (isChecking.current) {
      return false; // An earlier call is still fetching the list.
    }
    if (hasNoModel) {
      isChecking.current = true;
      await model.refreshModel();
      isChecking.current = false;
      if (model.state.failure || model.state.phase === 'idle') {
        setRefusalCount(count => count + 1);
        return false;
      }
    }
    return true;
  };
  return { canAsk, refusalCount };
}

/** `model` stores the input field's text, because the row may be recreated. */
function useText(model: GenerationModel) {
  const { draft } = model.state;
  const [text, setText] = React.useState(model.inputText || draft);
  model.inputText = text;
  // When the draft changes, as to the text of a failed request, copy it into the field unless the
  // person has typed other text.
  const lastDraft = React.useRef(draft);
  React.useEffect(() => {
    const previous = lastDraft.current;
    lastDraft.current = draft;
    setText(current => (current === previous ? draft : current || draft));
  }, [draft]);
  return [text, setText] as const;
}

export function Prompt(props: {
  model: GenerationModel;
  services: IPromptRowServices;
  isPicking: boolean;
  setPicking: (isPicking: boolean) => void;
  focus: () => void;
  focusRequest: IFocusRequest;
}): React.JSX.Element {
  const { model, services, isPicking, setPicking, focus, focusRequest } = props;
  const { trans } = services;
  const { state } = model;
  const { phase } = state;
  const [text, setText] = useText(model);
  const hasRequest =
    model.isBusy || phase === 'suggested' || phase === 'answered';
  // If no model is ready, the row helps to set one up instead of showing the failure.
  const modelSetup =
    state.failure?.code === 'no_model' ? services.models : null;
  const listFiles = useFolderListing(services.listFiles);
  const { canAsk, refusalCount } = useModelCheck(model, !!modelSetup);
  const row: IRow = {
    ...{ model, services, trans, text, setText, focus, canAsk, listFiles }
  };

  const start = async (request: () => Promise<void>) => {
    if (await canAsk()) {
      void request();
      focus();
    }
  };
  const send = async () => {
    if ((await proposeRequest(row)) || !(await canAsk())) {
      return;
    }
    await model.waitForKernel();
    // Unlike `text`, with what was typed meanwhile.
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

  /** These return whether they handled a key of the row. */
  const onEscape = (): boolean => {
    const clearsText = hasRequest && !!text.trim() && !model.isBusy;
    if (isPicking) {
      setPicking(false);
    } else if (clearsText) {
      // While an answer is shown, the first Escape only clears the typed text, which ArrowUp brings
      // back. The next one rejects the suggestion, or closes the row.
      model.intents.add(text);
      setText('');
    }
    return isPicking || clearsText;
  };
  const onAccelKey = (event: React.KeyboardEvent): boolean => {
    const key = event.key.toLowerCase();
    if (key === 'c' && event.shiftKey) {
      // JupyterLab's shortcut for its palette is disabled in the row, and some browsers would open
      // their developer tools.
      return services.openPalette();
    }
    if (key === 's') {
      services.save();
    } else if (key === 'enter') {
      void send();
    }
    return key === 's' || key === 'enter';
  };
  const onKey = (event: React.KeyboardEvent): boolean =>
    // The row is already open, but some browsers would focus their address bar.
    isAskKey(event) ||
    (event.key === 'Escape' && onEscape()) ||
    handleKey(model, event, text) ||
    ((event.ctrlKey || event.metaKey) && onAccelKey(event));

  return (
    <div
      className="jp-AIServer-Ask-card"
      data-phase={phase}
      onKeyDown={event => {
        if (!event.defaultPrevented && !isComposing(event) && onKey(event)) {
          event.preventDefault();
          event.stopPropagation();
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
      {hasRequest && <RequestLine row={row} />}
      {phase === 'answered' && <AnswerText row={row} />}
      <AnswerTabs row={row} />
      {modelSetup ? (
        modelSetup.renderOffer({ focusInput: focus, attempts: refusalCount })
      ) : (
        <Failure row={row} />
      )}
      {isPicking && (
        <DataFramePicker row={row} onClose={() => setPicking(false)} />
      )}
      <RulesChips {...services} requestTime={state.requestTime} focus={focus} />
      <ScopeChips row={row} />
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
          complete={before => completeRequest(row, before)}
          completionsLabel={trans.__('Suggestions for the request')}
        />
        {!hasRequest && <RequestNumber row={row} />}
      </div>
      <RememberBar row={row} />
      <SteadyLine subject={[phase, state.turnId, state.detached.length].join()}>
        <MentionChips row={row} />
        <ExampleChip row={row} />
        <MemoryChip row={row} />
        <DataFrameChips row={row} />
        <FileButtons row={row} />
      </SteadyLine>
      <div className="jp-AIServer-Ask-bar">
        <Actions row={row} send={() => void send()}>
          <ErrorButtons
            target={model.target}
            version={state.kernel}
            trans={trans}
            apply={applyRemedy}
            fix={() => void start(fix)}
          />
        </Actions>
        <div className="jp-AIServer-Ask-tools">
          <ModelChoice row={row} />
          <MoreButton row={row} />
        </div>
      </div>
      <QuestionButtons row={row} />
      <Notices row={row} />
      <PastAnswerOffer row={row} />
      <Findings
        row={row}
        correct={correct}
        apply={applyRemedy}
        repair={() => void start(repair)}
      />
      {phase !== 'answered' && <AnswerText row={row} />}
    </div>
  );
}
