/** Code as its difference from other code, in one editor that lives as long as its place. */
import React from 'react';

import { useReplay } from '../context';
import { DiffEditor } from './diffEditor';

export interface IStepCodeProps {
  before: string;
  code: string;
  mimeType: string;
  split: boolean;
  /** What a screen reader calls the code, and the code before it. */
  label: string;
  labelBefore: string;
  /** While it plays: how long a change takes to show, in milliseconds; 0 shows it at once. */
  pace: number;
}

export function StepCode(props: IStepCodeProps): React.JSX.Element {
  const { before, code, mimeType, split, label, labelBefore, pace } = props;
  const { languages, trans } = useReplay();
  const host = React.useRef<HTMLDivElement>(null);
  const editor = React.useRef<DiffEditor | null>(null);
  React.useEffect(() => {
    const made = new DiffEditor(host.current!, languages);
    editor.current = made;
    return () => {
      editor.current = null;
      made.dispose();
    };
  }, [languages]);
  React.useEffect(() => {
    const folded = trans.__('$ unchanged lines');
    const labels = { label, labelBefore, folded };
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
