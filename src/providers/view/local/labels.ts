import type { TranslationBundle } from '@jupyterlab/translation';

import { durationText } from '../../../labels/formats';
import type { LocalModelEntry } from '../../../api/types';

const GIGABYTE = 1e9;

/** “491 MB”, from a gigabyte on “1.1 GB” */
export function sizeText(bytes: number, trans: TranslationBundle): string {
  return bytes >= GIGABYTE
    ? trans.__('%1 GB', gigabytes(bytes))
    : trans.__('%1 MB', megabytes(bytes));
}

/** “211 of 491 MB”, in the unit of the total size */
export function amountText(
  bytes: number,
  total: number,
  trans: TranslationBundle
): string {
  return total >= GIGABYTE
    ? trans.__('%1 of %2 GB', gigabytes(bytes), gigabytes(total))
    : trans.__('%1 of %2 MB', megabytes(bytes), megabytes(total));
}

function gigabytes(bytes: number): string {
  return (bytes / GIGABYTE).toFixed(1);
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1e6);
}

/** “211 of 491 MB”; “211 MB” if the model's size is unknown */
export function downloadedText(
  { bytes, kept: downloadedBytes }: LocalModelEntry,
  trans: TranslationBundle
): string {
  return bytes
    ? amountText(downloadedBytes, bytes, trans)
    : sizeText(downloadedBytes, trans);
}

export function installText(
  entry: LocalModelEntry,
  trans: TranslationBundle
): string {
  const { label, bytes, kept: downloadedBytes } = entry;
  if (downloadedBytes) {
    return trans.__('Continue installing (%1)', downloadedText(entry, trans));
  }
  return bytes
    ? trans.__('Install %1 (%2)', label, sizeText(bytes, trans))
    : trans.__('Install %1', label);
}

/** “1.1 GB download · needs 1.9 GB of memory · …” */
export function factsText(
  entry: LocalModelEntry,
  trans: TranslationBundle
): string {
  const { bytes, installed, installedBytes, memory, licence } = entry;
  const texts = [
    installed
      ? trans.__('%1 on disk', sizeText(installedBytes, trans))
      : bytes
        ? trans.__('%1 download', sizeText(bytes, trans))
        : trans.__('Download size not known yet'),
    trans.__('needs %1 of memory', sizeText(memory, trans)),
    trans.__('%1 licence', licence)
  ];
  return texts.join(' · ');
}

export function qualityText(
  { quality, speed }: LocalModelEntry,
  trans: TranslationBundle
): string {
  const texts = [
    quality
      ? trans.__(
          'Answered %1 of %2 test requests correctly',
          quality.right,
          quality.of
        )
      : trans.__('Quality not measured yet'),
    speed && trans.__('about %1 tokens per second', Math.round(speed) || 1)
  ];
  return texts.filter(Boolean).join(' · ');
}

/** Bytes per second, as “8.3 MB/s”, below 1 MB/s as “640 kB/s”. */
export function speedText(speed: number, trans: TranslationBundle): string {
  return speed >= 1e6
    ? trans.__('%1 MB/s', (speed / 1e6).toFixed(1))
    : trans.__('%1 kB/s', Math.max(1, Math.round(speed / 1e3)));
}

/** Rounded up, so that the text doesn't change all the time. */
export function remainingTimeText(
  seconds: number,
  trans: TranslationBundle
): string {
  const unit = seconds < 60 ? 5 : seconds < 90 * 60 ? 60 : 3600;
  const rounded = Math.max(1, Math.ceil(seconds / unit)) * unit;
  return trans.__('%1 left', durationText(rounded * 1000, trans));
}
