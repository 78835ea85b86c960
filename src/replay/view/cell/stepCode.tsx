/** A React wrapper of `DiffEditor` that reuses one editor for all steps. */
import React from 'react';

import { useReplay } from '../context';
import { DiffEditor } from './diffEditor';

export interface IStepCodeProps {
  before: string;
  code: string;
  mimeType: string;
  split: boolean;
  /** The accessible name of the code; below, that of the code before it. */
  label: string;
  labelBefore: string;
  /** The duration of the transition during playback, in milliseconds; 0 for none. */
  pace: number;
}

export function StepCode(props: IStepCodeProps): React.JSX.Element {
  const { before, code, mimeType, split, label, labelBefore, pace } = props;
  const { languages, trans } = useReplay();
  const host = React.useRef<HTMLDivElement>(null);
  const editor = React.useRef<DiffEditor | null>(null);
  React.useEffect(() => {
    const folded = trans.__('$ unchanged lines');
    const diffEditor = new DiffEditor(host.current!, languages, folded);
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
      className={`jp-AIServer-Replay-code ${pace ? 'jp-mod-playing' : ''}`}
      style={
        { '--jp-AIServer-Replay-pace': `${pace}ms` } as React.CSSProperties
      }
    />
  );
}
