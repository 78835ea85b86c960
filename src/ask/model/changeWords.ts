const CHANGES =
  /\b(add|append|cast|change|clean|convert|create|delete|drop|fill|insert|lowercase|parse|remove|rename|replace|round|set|strip|trim|turn|uppercase)\b|添加|新增|增加|加一列|转换|轉換|转成|轉成|转为|轉為|改为|改為|改成|改名|重命名|删除|刪除|删掉|刪掉|去掉|移除|填充|补全|補全|替换|替換|清洗|清理/i;
const SHOWS =
  /[?？]|\b(chart|count|display|draw|how many|list|plot|print|show|what|which)\b|显示|顯示|打印|列出|多少|哪些|统计|統計|[画畫]/i;

/** Return whether a request asks for a change of data, and not to show something. */
export function asksForChange(intent: string): boolean {
  return CHANGES.test(intent) && !SHOWS.test(intent);
}
