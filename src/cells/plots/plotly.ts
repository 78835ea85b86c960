/** Summarises a Plotly chart for a model: titles, and types and values of its traces. */
import {
  type Fields,
  countText,
  describeValues,
  fieldsOf,
  quoted,
  titleOf
} from './values';

const MAX_TRACES = 20;
const DATA_FIELDS = [
  ...['x', 'y', 'z', 'labels', 'parents', 'values', 'r', 'theta'],
  ...['lat', 'lon', 'locations', 'open', 'high', 'low', 'close']
];
const AXIS = /^([xyz])axis(\d*)$/;

/** Encoded arrays, by Plotly's names. */
const ARRAY_TYPES: Record<string, new (buffer: ArrayBuffer) => Numbers> = {
  i1: Int8Array,
  u1: Uint8Array,
  i2: Int16Array,
  u2: Uint16Array,
  i4: Int32Array,
  u4: Uint32Array,
  f4: Float32Array,
  f8: Float64Array
};

type Numbers = ArrayLike<number>;

/** Empty if `spec` isn't a Plotly chart. */
export function plotlySummary(spec: unknown): string {
  const { data, layout } = fieldsOf(spec);
  if (!Array.isArray(data)) {
    return '';
  }
  const traces = data
    .slice(0, MAX_TRACES)
    .map(trace => traceText(fieldsOf(trace)));
  const more = data.length - traces.length;
  return [
    `Plotly chart${quoted(titleOf(layout))}`,
    ...axesText(fieldsOf(layout)),
    ...traces,
    ...(more > 0 ? [`${more} more traces`] : [])
  ].join('\n');
}

function traceText(trace: Fields): string {
  const { type = 'scatter', mode, name } = trace;
  const kind = typeof mode === 'string' ? `${type} (${mode})` : String(type);
  const parts = DATA_FIELDS.flatMap(field => {
    const values = valuesOf(trace[field]);
    return values.length ? [`  ${field}: ${describeValues(values)}`] : [];
  });
  const count = Math.max(
    0,
    ...DATA_FIELDS.map(field => valuesOf(trace[field]).length)
  );
  const title = `- ${kind}${quoted(name)}, ${countText(count, 'point')}`;
  return [title, ...parts].join('\n');
}

function axesText(layout: Fields): string[] {
  return Object.entries(layout).flatMap(([key, axis]) => {
    const [, letter, number] = AXIS.exec(key) ?? [];
    const title = titleOf(axis);
    return letter && title ? [`${letter}${number} axis: ${title}`] : [];
  });
}

/** A field is a list, a list of lists, or encoded numbers. */
function valuesOf(field: unknown): unknown[] {
  if (Array.isArray(field)) {
    return field.flat();
  }
  const { dtype, bdata } = fieldsOf(field);
  const ArrayType = ARRAY_TYPES[String(dtype)];
  if (!ArrayType || typeof bdata !== 'string') {
    return [];
  }
  try {
    const bytes = Uint8Array.from(atob(bdata), char => char.charCodeAt(0));
    return Array.from(new ArrayType(bytes.buffer));
  } catch {
    return []; // The data isn't base64, or ends in the middle of a number.
  }
}
