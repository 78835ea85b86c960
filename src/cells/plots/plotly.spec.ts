import { plotlySummary } from './plotly';
// Written by Plotly 7.1 for Python (`figure.to_json()`), without the template.
import * as specs from './plotlySpecs.json';

describe('plotlySummary', () => {
  it('describes titles, traces and their values', () => {
    expect(plotlySummary(specs.bar)).toBe(
      [
        'Plotly chart “Customers”',
        'x axis: city',
        'y axis: n',
        '- bar, 3 points',
        '  x: Lyon, 北京, Oslo',
        '  y: 3, 14, 15 (3 to 15, mean 10.6667)'
      ].join('\n')
    );
  });

  it('decodes arrays of numbers, and shortens dates', () => {
    const text = plotlySummary(specs.line);
    expect(text).toContain('- scatter (lines) “北京”, 15 points');
    expect(text).toContain('  x: 2024-01-01, 2024-03-01,');
    expect(text).toContain('10.5, 16.5, 22.5,');
    expect(text).toContain('(10.5 to 94.5, mean 52.5)');
  });

  it('describes pies and matrices', () => {
    const text = plotlySummary(specs.pieAndHeatmap);
    expect(text).toContain('- pie, 2 points\n  labels: a, b\n  values: 60, 40');
    expect(text).toContain('  z: 0, 0.5, 1, 1.5, 2, 2.5 (0 to 2.5, mean 1.25)');
  });

  it('limits the length, whatever the chart contains', () => {
    const x = Array.from(
      { length: 5000 },
      (_, index) => `${index}${'x'.repeat(99)}`
    );
    const data = Array.from({ length: 100 }, () => ({
      type: 'bar',
      x,
      name: x[9]
    }));
    const text = plotlySummary({ data, layout: { title: 't'.repeat(9999) } });
    expect(text.length).toBeLessThan(30_000);
    expect(text).toContain('80 more traces');
    expect(text).toContain('5000 different values: 0xxx');
  });

  it.each([
    null,
    7,
    [],
    {},
    { data: 1 },
    { data: [null, { y: { dtype: 'f8', bdata: '§' } }, { y: [null, NaN] }] }
  ])('accepts any data: %j', spec => {
    expect(plotlySummary(spec)).not.toContain('undefined');
  });
});
