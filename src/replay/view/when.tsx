/** A time in a short form, with the full date and time as its tooltip. */
import React from 'react';

import { useReplay } from './context';
import { showTime } from '../../labels/time';

export function When(props: { time: string }): React.JSX.Element {
  const { locale, now } = useReplay();
  const { short, full } = showTime(props.time, now, locale);
  return (
    <time dateTime={props.time} title={full}>
      {short}
    </time>
  );
}
