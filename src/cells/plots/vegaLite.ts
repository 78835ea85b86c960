/** Summarises a Vega-Lite chart, such as one of Altair: titles, marks with fields, and data. */
import {
  type Fields,
  countText,
  describeValues,
  fieldsOf,
  quoted,
  titleOf,
  valueText
} from './values';

const MAX_VIEWS = 20;
const MAX_DATA_SETS = 10;
const MAX_FIELDS = 40;

/** Empty if `spec` isn't a Vega-Lite chart. */
export function vegaLiteSummary(spec: unknown): string {
  const top = fieldsOf(spec);
  const views = viewsOf(top, {}).slice(0, MAX_VIEWS);
  if (!views.length) {
    return '';
  }
  const fieldsByData = new Map<unknown, Set<string>>();
  for (const { data, channels } of views) {
    const names = fieldsByData.get(data) ?? new Set();
    channels.forEach(({ field }) => field && names.add(field));
    fieldsByData.set(data, names);
  }
  return [
    `Vega-Lite chart${quoted(titleOf(top))}`,
    ...views.map(viewText),
    ...[...fieldsByData]
      .slice(0, MAX_DATA_SETS)
      .flatMap(([data, names]) => dataText(data, names, fieldsOf(top.datasets)))
  ].join('\n');
}

interface IChannel {
  readonly name: string;
  readonly field: string;
  readonly text: string;
}

interface IView {
  readonly mark: string;
  readonly title: string;
  readonly channels: readonly IChannel[];
  /** A data set's name, or the data itself. */
  readonly data: unknown;
}

/** A view inherits the encoding and the data of what contains it. */
function viewsOf(spec: Fields, outer: Fields): IView[] {
  const data = dataOf(spec) ?? outer.data;
  const encoding = { ...fieldsOf(outer.encoding), ...fieldsOf(spec.encoding) };
  const inner = [spec.layer, spec.hconcat, spec.vconcat, spec.concat].find(
    Array.isArray
  ) as unknown[] | undefined;
  const nested = inner ?? (spec.spec ? [spec.spec] : []);
  if (nested.length) {
    return nested.flatMap(view => viewsOf(fieldsOf(view), { data, encoding }));
  }
  const mark = fieldsOf(spec.mark).type ?? spec.mark;
  return typeof mark === 'string'
    ? [
        {
          mark,
          title: quoted(titleOf(spec)),
          channels: channelsOf(encoding),
          data
        }
      ]
    : [];
}

function dataOf({ data }: Fields): unknown {
  const { name, values, url } = fieldsOf(data);
  return values ?? name ?? (url ? fieldsOf(data) : undefined);
}

function channelsOf(encoding: Fields): IChannel[] {
  return Object.entries(encoding).flatMap(([name, definition]) => {
    const { field, aggregate, title, timeUnit, bin } = fieldsOf(definition);
    if (typeof field !== 'string' && typeof aggregate !== 'string') {
      return [];
    }
    const shown = typeof field === 'string' ? valueText(field) : 'rows';
    const how = [aggregate, timeUnit].filter(part => typeof part === 'string');
    const function_ = [...how, ...(bin ? ['bins'] : [])].join(' of ');
    const text = function_ ? `${function_} of ${shown}` : shown;
    const label = quoted(title);
    return [
      {
        name,
        field: typeof field === 'string' ? field : '',
        text: text + label
      }
    ];
  });
}

function viewText({ mark, title, channels }: IView): string {
  const shown = channels.map(({ name, text }) => `${name}: ${text}`).join('; ');
  return `- ${mark}${title}${shown && `, ${shown}`}`;
}

/** Return lines about a data set's fields; none if the chart doesn't contain the data. */
function dataText(
  data: unknown,
  names: Set<string>,
  dataSets: Fields
): string[] {
  const rows = typeof data === 'string' ? dataSets[data] : data;
  if (!Array.isArray(rows)) {
    return fieldsOf(data).url ? ['Data from an address, not in the chart'] : [];
  }
  return [
    `Data: ${countText(rows.length, 'row')}`,
    ...[...names].slice(0, MAX_FIELDS).map(name => {
      const values = rows.map(row => fieldsOf(row)[name]);
      return `  ${valueText(name)}: ${describeValues(values)}`;
    })
  ];
}
