// What the page says, in the language of the browser. English is the key.

const CHINESE = {
  'Replay of {0}': ['{0} 的回放', '{0} 的重播'],
  Notebook: ['笔记本', '筆記本'],
  History: ['历程', '歷程'],
  Report: ['统计', '統計'],
  Views: ['视图', '檢視'],
  'This notebook has no history.': ['此笔记本没有历史记录。', '此筆記本沒有歷史記錄。'],
  'Ask for code in one of its cells, then export it again.': [
    '请先在其中一个单元格中提问，然后重新导出。',
    '請先在其中一個儲存格中提問，然後重新匯出。'
  ],
  '{0} cell': ['{0} 个单元格', '{0} 個儲存格'],
  '{0} cells': ['{0} 个单元格', '{0} 個儲存格'],
  '{0} deleted': ['另有 {0} 个已删除', '另有 {0} 個已刪除'],
  '{0} request': ['{0} 次请求', '{0} 次請求'],
  '{0} requests': ['{0} 次请求', '{0} 次請求'],
  '{0} change': ['{0} 次更改', '{0} 次變更'],
  '{0} changes': ['{0} 次更改', '{0} 次變更'],
  '{0} written by AI': ['AI 编写 {0}', 'AI 撰寫 {0}'],
  'Notebook timeline': ['笔记本时间线', '筆記本時間軸'],
  'Change {0} of {1}': ['第 {0} 次更改，共 {1} 次', '第 {0} 次變更，共 {1} 次'],
  'First change': ['第一次更改', '第一次變更'],
  'Previous change': ['上一次更改', '上一次變更'],
  'Next change': ['下一次更改', '下一次變更'],
  'Last change': ['最后一次更改', '最後一次變更'],
  Play: ['播放', '播放'],
  Pause: ['暂停', '暫停'],
  Speed: ['速度', '速度'],
  Authorship: ['代码来源', '程式碼來源'],
  'Keyboard shortcuts': ['键盘快捷键', '鍵盤快速鍵'],
  saved: ['已保存', '已儲存'],
  'Cell {0}': ['单元格 {0}', '儲存格 {0}'],
  'Deleted cell': ['已删除的单元格', '已刪除的儲存格'],
  'New cell': ['新单元格', '新儲存格'],
  'Merged cell': ['已合并的单元格', '已合併的儲存格'],
  'Future cell': ['尚未创建的单元格', '尚未建立的儲存格'],
  'Deleted earlier': ['此前已删除', '先前已刪除'],
  'The notebook was empty.': ['当时笔记本是空的。', '當時筆記本是空的。'],
  empty: ['（空）', '（空）'],
  code: ['代码', '程式碼'],
  markdown: ['Markdown', 'Markdown'],
  raw: ['纯文本', '原生文字'],
  'Steps of this cell': ['此单元格的步骤', '此儲存格的步驟'],
  'Step {0} of {1}': ['第 {0} 步，共 {1} 步', '第 {0} 步，共 {1} 步'],
  'This cell had no history yet.': ['此单元格此时还没有历史记录。', '此儲存格此時還沒有歷史記錄。'],
  'This cell has no history.': ['此单元格没有历史记录。', '此儲存格沒有歷史記錄。'],
  Step: ['步骤', '步驟'],
  'Compare with': ['比较对象', '比較對象'],
  'previous version': ['更改前的内容', '變更前的內容'],
  Request: ['请求', '請求'],
  Answer: ['回答', '回答'],
  'No code changes.': ['代码没有变化。', '程式碼沒有變化。'],
  'Suggested code': ['建议的代码', '建議的程式碼'],
  Code: ['代码', '程式碼'],
  Output: ['输出', '輸出'],
  truncated: ['已截断', '已截斷'],
  'Output image {0}': ['输出图片 {0}', '輸出圖片 {0}'],
  AI: ['AI', 'AI'],
  'by hand': ['手写', '手寫'],
  'By hand': ['手写', '手寫'],
  'By AI': ['AI 编写', 'AI 撰寫'],
  'AI, request {0}': ['AI，第 {0} 次请求', 'AI，第 {0} 次請求'],
  'not recorded yet': ['尚未记录', '尚未記錄'],
  'from another cell': ['来自另一个单元格', '來自另一個儲存格'],
  pending: ['待采纳', '待採用'],
  superseded: ['已被取代', '已被取代'],
  accepted: ['已采纳', '已採用'],
  rejected: ['已拒绝', '已拒絕'],
  failed: ['失败', '失敗'],
  stopped: ['已停止', '已停止'],
  ran: ['已运行', '已執行'],
  'Existing content': ['原有内容', '原有內容'],
  existing: ['原有内容', '原有內容'],
  'an agent': ['智能体', 'AI 代理'],
  'a program': ['程序', '程式'],
  'file on disk': ['磁盘上的文件', '磁碟上的檔案'],
  'Jupyter server': ['Jupyter 服务器', 'Jupyter 伺服器'],
  'inline completion': ['内联补全', '行內自動完成'],
  'Changed on disk': ['文件在磁盘上被更改', '檔案在磁碟上被變更'],
  'Changed by {0}': ['由 {0} 更改', '由 {0} 變更'],
  'Changed by an unknown source': ['由未知来源更改', '由不明來源變更'],
  'Formatted by {0}': ['由 {0} 格式化', '由 {0} 格式化'],
  'Edited by {0}': ['由 {0} 编辑', '由 {0} 編輯'],
  'Edited by hand': ['手动编辑', '手動編輯'],
  'Accepted answer {0}': ['采纳第 {0} 次请求的回答', '採用第 {0} 次請求的回答'],
  'Accepted an answer': ['采纳回答', '採用回答'],
  Run: ['运行', '執行'],
  'Run failed': ['运行出错', '執行出錯'],
  'Run stopped': ['运行被停止', '執行被停止'],
  'Restored step {0}': ['恢复到第 {0} 步', '還原到第 {0} 步'],
  'Restored an earlier version': ['恢复到较早的版本', '還原到較早的版本'],
  'New conversation': ['新对话', '新對話'],
  'Split a cell': ['拆分单元格', '分割儲存格'],
  'Merged cells': ['合并单元格', '合併儲存格'],
  'Pasted a copy of a cell': ['粘贴单元格副本', '貼上儲存格副本'],
  'Deleted a cell': ['删除单元格', '刪除儲存格'],
  'Restored a deleted cell': ['恢复已删除的单元格', '還原已刪除的儲存格'],
  'Changed a cell’s type': ['更改单元格类型', '變更儲存格類型'],
  'Moved a cell': ['移动单元格', '移動儲存格'],
  'Added, removed or moved cells': ['添加、移除或移动单元格', '新增、移除或移動儲存格'],
  'Request without text': ['没有文字的请求', '沒有文字的請求'],
  'Other change': ['其他更改', '其他變更'],
  '{0} by AI': ['AI {0}', 'AI {0}'],
  '{0} by hand': ['手写 {0}', '手寫 {0}'],
  '{0} by agents': ['智能体 {0}', 'AI 代理 {0}'],
  '{0} by programs': ['程序 {0}', '程式 {0}'],
  '{0} of unknown origin': ['来源未知 {0}', '來源不明 {0}'],
  '{0} existing': ['原有内容 {0}', '原有內容 {0}'],
  Other: ['其他', '其他'],
  'Agents and programs': ['智能体与程序', 'AI 代理與程式'],
  Name: ['名称', '名稱'],
  'No code yet.': ['还没有代码。', '還沒有程式碼。'],
  'Non-blank lines in the current notebook. A line counts as written by AI if it came from an answer and has not been edited since.': [
    '统计笔记本当前内容中的非空行。来自 AI 回答、之后未经手动修改的行，计为 AI 编写。',
    '統計筆記本目前內容中的非空白行。來自 AI 回答、之後未經手動修改的行，計為 AI 撰寫。'
  ],
  Models: ['模型', '模型'],
  Model: ['模型', '模型'],
  Lines: ['行数', '行數'],
  Share: ['占比', '占比'],
  Requests: ['请求', '請求'],
  Cells: ['单元格', '儲存格'],
  Cell: ['单元格', '儲存格'],
  unknown: ['未知', '未知'],
  'Made with AI Server. This file is self-contained and makes no network requests.': [
    '由 AI Server 生成。所有内容都在此文件中，查看时不会访问网络。',
    '由 AI Server 產生。所有內容都在此檔案中，檢視時不會連線到網路。'
  ],
  'previous or next change': ['上一次或下一次更改', '上一次或下一次變更'],
  'previous or next step of the cell': ['单元格的上一步或下一步', '儲存格的上一步或下一步'],
  'first or last change': ['第一次或最后一次更改', '第一次或最後一次變更'],
  'play or pause': ['播放或暂停', '播放或暫停'],
  'show authorship': ['显示代码来源', '顯示程式碼來源'],
  'switch views': ['切换视图', '切換檢視'],
  'show this list': ['显示此列表', '顯示此清單'],
  Space: ['空格键', '空白鍵'],
  Close: ['关闭', '關閉'],
  Shortcuts: ['快捷键', '快速鍵'],
  ', ': ['、', '、'],
  ': ': ['：', '：'],
  '… ({0})': ['…（{0}）', '…（{0}）'],
  '{0} ms': ['{0} 毫秒', '{0} 毫秒'],
  '{0} s': ['{0} 秒', '{0} 秒'],
  '{0} min': ['{0} 分钟', '{0} 分鐘'],
  '{0} h': ['{0} 小时', '{0} 小時'],
  '{0} day': ['{0} 天', '{0} 天'],
  '{0} days': ['{0} 天', '{0} 天']
};

const LANGUAGE = (() => {
  for (const name of navigator.languages || [navigator.language || 'en']) {
    if (/^zh\b/i.test(name)) {
      return /hant|tw|hk|mo/i.test(name) ? 'zh-Hant' : 'zh-Hans';
    }
    if (/^en\b/i.test(name)) {
      break;
    }
  }
  return 'en';
})();
document.documentElement.lang = LANGUAGE;

/** A sentence in the reader's language, with `{0}`, `{1}` … filled in. */
function t(sentence, ...values) {
  const own = LANGUAGE !== 'en' && Object.hasOwn(CHINESE, sentence) && CHINESE[sentence];
  const text = own ? own[LANGUAGE === 'zh-Hant' ? 1 : 0] : sentence;
  const filled = text.replace(/\{(\d)\}/g, (_, number) => values[number]);
  // A name in Chinese has no space on either side.
  return own ? filled.replace(/([\u3400-\u9fff]) (?=[\u3400-\u9fff])/g, '$1') : filled;
}

const DAY = new Intl.DateTimeFormat(LANGUAGE === 'en' ? undefined : LANGUAGE, {
  dateStyle: 'medium',
  timeStyle: 'short'
});

/** A time as the reader's clock shows it; as it is written, if it is none. */
function time(text) {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? text : DAY.format(date);
}

function percent(part, whole) {
  return whole ? `${Math.round((100 * part) / whole)}%` : '–';
}

/** A number of things; `many` is their plural. */
function countOf(number, one, many) {
  return t(number === 1 ? one : many, number);
}

/** The same form as in JupyterLab (durations.ts): "41 ms", "2.5 s", "1 min 5 s". */
function duration(ms) {
  if (ms < 99.5) {
    return t('{0} ms', Math.round(ms));
  }
  const exact = Number((ms / 1000).toFixed(ms < 1000 ? 2 : 1));
  if (exact < 60) {
    return t('{0} s', exact.toLocaleString(LANGUAGE));
  }
  const seconds = Math.round(ms / 1000);
  const minutes = seconds < 3600 ? Math.floor(seconds / 60) : Math.round(ms / 60000);
  const hours = Math.floor(minutes / 60) % 24;
  const days = Math.floor(minutes / 1440);
  const parts =
    seconds < 3600
      ? [minutes && t('{0} min', minutes), seconds % 60 && t('{0} s', seconds % 60)]
      : [
          days && countOf(days, '{0} day', '{0} days'),
          hours && t('{0} h', hours),
          minutes % 60 && t('{0} min', minutes % 60)
        ];
  return parts.filter(Boolean).join(' ');
}

const KINDS = {
  start: 'Existing content',
  context_reset: 'New conversation',
  split: 'Split a cell',
  merge: 'Merged cells',
  copy: 'Pasted a copy of a cell',
  delete: 'Deleted a cell',
  undelete: 'Restored a deleted cell',
  type: 'Changed a cell’s type',
  move: 'Moved a cell',
  order: 'Added, removed or moved cells'
};

/** The contributor of a step or line, by name where there is one. */
function contributorWords({ author, name }) {
  if (name && author !== 'person' && author !== 'existing') {
    return t(name);
  }
  return t(
    {
      person: 'by hand',
      model: 'AI',
      agent: 'an agent',
      program: 'a program',
      existing: 'existing'
    }[author] || 'unknown'
  );
}

function editWords(step) {
  const { author, name, command = '' } = step;
  if (author === 'person') {
    return t('Edited by hand');
  }
  if (name === 'file on disk') {
    return t('Changed on disk');
  }
  if (author === 'unknown') {
    return name ? t('Changed by {0}', name) : t('Changed by an unknown source');
  }
  const isFormat = /format|prettif|black|ruff|isort|yapf/i.test(command);
  return t(isFormat ? 'Formatted by {0}' : 'Edited by {0}', contributorWords(step));
}

/** What a step was, in a line. */
function titleOf(cell, number) {
  const { steps, rows } = cells[cell];
  const step = steps[number];
  const row = rows[rowOf[cell][number]];
  if (row.cut !== undefined && row.step === number) {
    return t(KINDS.move);
  }
  switch (step.kind) {
    case 'turn':
      return step.title || t('Request without text');
    case 'run':
      return t(
        step.outcome === 'error'
          ? 'Run failed'
          : step.outcome === 'cancelled'
            ? 'Run stopped'
            : 'Run'
      );
    case 'accept': {
      const turn = step.from !== undefined && steps[step.from]?.turn;
      return turn ? t('Accepted answer {0}', turn) : t('Accepted an answer');
    }
    case 'restore':
      return step.from === undefined
        ? t('Restored an earlier version')
        : t('Restored step {0}', rowOf[cell][step.from] + 1);
    case 'edit':
      return editWords(step);
    default:
      return t(KINDS[step.kind] || 'Other change');
  }
}

/** How a step ended: a few words and a mood; null where there is nothing to say. */
function outcomeOf(step) {
  if (step.kind === 'run') {
    const took = step.output?.ms === undefined ? '' : ` ${duration(step.output.ms)}`;
    return step.outcome === 'error'
      ? [(step.error || t('failed')).split(':')[0].slice(0, 40), 'bad']
      : step.outcome === 'cancelled'
        ? [t('stopped'), 'dull']
        : [`✓ ${t('ran')}${took}`, 'good'];
  }
  if (step.kind !== 'turn') {
    return null;
  }
  return {
    open: [t('pending'), 'dull'],
    refined: [t('superseded'), 'dull'],
    accepted: [t('accepted'), 'good'],
    rejected: [t('rejected'), 'dull'],
    error: [t('failed'), 'bad'],
    cancelled: [t('stopped'), 'dull']
  }[step.outcome];
}
