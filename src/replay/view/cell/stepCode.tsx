/** A React wrapper of `DiffEditor` that reuses one editor for all steps. */
import React from 'react';

import { useReplay } from '../context';
import { DiffEditor } from './diffEditor';

export interface IStepCodeProps {
  before: string;
  code: string;
  mimeType: string;
  split: boolean;
  /** The accessible name of `code`. */
  label: string;
  /** The accessible name of `before`. */
  labelBefore: string;
  /** The time in which a change of the code fades in during playback, in milliseconds; 0 otherwise. */
  transitionMs: number;
}

export function StepCode(props: IStepCodeProps): React.JSX.Element {
  const { before, code, mimeType, split, label, labelBefore, transitionMs } =
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
    editor.current?.show({ before, code, mimeType, split, ...labels });
  }, [before, code, mimeType, split, label, labelBefore, languages, trans]);
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
