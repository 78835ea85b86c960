import { asksForChange } from './changeWords';

it.each([
  'drop the column notes',
  'Rename price to cost',
  'fill missing ages with the median',
  '把日期转换成 datetime',
  '刪除重複的列'
])('finds that a request asks for a change: %s', intent => {
  expect(asksForChange(intent)).toBe(true);
});

it.each([
  'mean price by city',
  'show df without the column notes',
  'drop duplicates and count the rows',
  'How many values change?',
  '按城市统计平均价格',
  '删除后有多少行？',
  ''
])('finds that a request asks for no change: %s', intent => {
  expect(asksForChange(intent)).toBe(false);
});
