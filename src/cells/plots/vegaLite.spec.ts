import { vegaLiteSummary } from './vegaLite';
// Written by Altair 6.3, without the configuration.
import * as specs from './vegaLiteSpecs.json';

describe('vegaLiteSummary', () => {
  it('describes the title, the mark, its fields and the data', () => {
    expect(vegaLiteSummary(specs.bar)).toBe(
      [
        'Vega-Lite chart “Customers”',
        '- bar “Customers”, x: city; y: n “customers”',
        'Data: 3 rows',
        '  city: Lyon, 北京, Oslo',
        '  n: 3, 14, 15 (3 to 15, mean 10.6667)'
      ].join('\n')
    );
  });

  it('describes layers, aggregations and many rows', () => {
    const text = vegaLiteSummary(specs.layer);
    expect(text).toContain('- line, color: city; x: month; y: mean of sales');
    expect(text).toContain('- rule, y: mean of sales');
    expect(text).toContain('Data: 30 rows');
    expect(text).toContain('  city: 2 different values: Lyon, 北京');
    expect(text).toContain('  month: 2024-01-01 to 2026-06-01');
    expect(text).toContain('  sales: 10.5 to 97.5, mean 54');
  });

  it('describes charts beside each other, and data that is elsewhere', () => {
    const text = vegaLiteSummary(specs.concat);
    expect(text).toContain('- point, x: a; y: b');
    expect(text).toContain('Data from an address, not in the chart');
    expect(text).not.toContain('example.com');
    expect(text).toContain('Data: 3 rows');
  });

  it.each([
    null,
    'x',
    {},
    { mark: 'bar' },
    { layer: [null, { mark: {} }] },
    { mark: 'bar', encoding: { x: { field: 'a' } }, data: { values: [null] } }
  ])('accepts any data: %j', spec => {
    expect(vegaLiteSummary(spec)).not.toContain('undefined');
  });
});
