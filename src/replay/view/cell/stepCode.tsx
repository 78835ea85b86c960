import React from 'react';

import { useReplay } from '../context';
import { DiffEditor, type IDiffContent } from './diffEditor';

export interface IStepCodeProps extends IDiffContent {
  transitionMs: number;
}

export function StepCode(props: IStepCodeProps): React.JSX.Element {
  const { before, code, mimeType, isSplit, label, labelBefore, transitionMs } =
    props;
  const { languages, trans } = useReplay();
  const host = React.useRef<HTMLDivElement>(null);
  const editor = React.useRef<DiffEditor | null>(null);
  React.useEffect(() => {
    const foldedLabel = trans.__('$ unchanged lines');
    const diffEditor = new DiffEditor(host.current!, languages, foldedLabel);
    editor.current = diffEditor;
    return () => {
      editor.current = null;
      diffEditor.dispose();
    };
  }, [languages, trans]);
  React.useEffect(() => {
    const labels = { label, labelBefore };
    editor.current?.show({ before, code, mimeType, isSplit, ...labels });
  }, [before, code, mimeType, isSplit, label, labelBefore, languages, trans]);
  return (
    <div
      ref={host}
      className={`jp-AIServer-Replay-code ${transitionMs ? 'jp-mod-playing' : ''}`}
      style={
        {
          '--jp-AIServer-Replay-pace': `${transitionMs}ms`
        } as React.CSSProperties
      }
    />
  );
}
