// What the page says, in the language of the browser. English is the key.

const CHINESE = {
  'Replay of {0}': ['{0} 的回放', '{0} 的重播'],
  Notebook: ['笔记本', '筆記本'],
  Story: ['经过', '經過'],
  Report: ['统计', '統計'],
  Views: ['视图', '檢視'],
  'This notebook has no history.': ['此笔记本没有历史记录。', '此筆記本沒有歷史記錄。'],
  'Ask for code in one of its cells, then export it again.': [
    '在单元格中请求一段代码，然后再导出。',
    '在儲存格中要求一段程式碼，然後再匯出。'
  ],
  '{0} cells': ['{0} 个单元格', '{0} 個儲存格'],
  '{0} cells, {1} deleted': ['{0} 个单元格，{1} 个已删除', '{0} 個儲存格，{1} 個已刪除'],
  '{0} requests': ['{0} 次请求', '{0} 次請求'],
  '{0} moments': ['{0} 个时刻', '{0} 個時刻'],
  'written by AI: {0}': ['AI 写了 {0}', 'AI 寫了 {0}'],
  'The notebook’s time': ['笔记本的时间', '筆記本的時間'],
  'Moment {0} of {1}': ['第 {0} / {1} 个时刻', '第 {0} / {1} 個時刻'],
  First: ['第一个', '第一個'],
  Back: ['后退', '後退'],
  Forward: ['前进', '前進'],
  Last: ['最后一个', '最後一個'],
  Play: ['播放', '播放'],
  Pause: ['暂停', '暫停'],
  Speed: ['速度', '速度'],
  Authorship: ['代码来源', '程式碼來源'],
  Keys: ['快捷键', '快速鍵'],
  'as saved': ['已保存', '已儲存'],
  'Cell {0}': ['单元格 {0}', '儲存格 {0}'],
  'Deleted cell': ['已删除的单元格', '已刪除的儲存格'],
  'New cell': ['新单元格', '新儲存格'],
  'Merged cell': ['已合并的单元格', '已合併的儲存格'],
  'Cell to come': ['之后才有的单元格', '之後才有的儲存格'],
  'Deleted by then': ['当时已删除', '當時已刪除'],
  'The notebook was empty.': ['当时笔记本是空的。', '當時筆記本是空的。'],
  empty: ['空', '空'],
  code: ['代码', '程式碼'],
  markdown: ['Markdown', 'Markdown'],
  raw: ['原始文本', '純文字'],
  'Steps of this cell': ['此单元格的步骤', '此儲存格的步驟'],
  'Step {0} of {1}': ['第 {0} / {1} 步', '第 {0} / {1} 步'],
  'This cell had no history yet.': ['此单元格此时还没有历史记录。', '此儲存格此時還沒有歷史記錄。'],
  'No history of this cell.': ['此单元格没有历史记录。', '此儲存格沒有歷史記錄。'],
  'The step': ['这一步', '這一步'],
  'Compare with': ['对比', '比較'],
  'what was there before': ['此前的内容', '之前的內容'],
  'Asked of the AI': ['向 AI 提出的请求', '向 AI 提出的請求'],
  Answered: ['回答', '回答'],
  'No change of the code.': ['代码没有变化。', '程式碼沒有變化。'],
  'The suggestion': ['建议的代码', '建議的程式碼'],
  'The code': ['代码', '程式碼'],
  Output: ['输出', '輸出'],
  'cut short': ['已截断', '已截斷'],
  'Output picture {0}': ['输出图片 {0}', '輸出圖片 {0}'],
  AI: ['AI', 'AI'],
  'by hand': ['手写', '手寫'],
  'By hand': ['手写', '手寫'],
  'By AI': ['AI 写的', 'AI 寫的'],
  'AI, request {0}': ['AI，请求 {0}', 'AI，請求 {0}'],
  'not recorded yet': ['尚未记录', '尚未記錄'],
  'from another cell': ['来自另一个单元格', '來自另一個儲存格'],
  'not accepted yet': ['尚未采纳', '尚未採用'],
  superseded: ['已被取代', '已被取代'],
  accepted: ['已采纳', '已採用'],
  rejected: ['已拒绝', '已拒絕'],
  failed: ['失败', '失敗'],
  stopped: ['已停止', '已停止'],
  ran: ['已运行', '已執行'],
  'Existing content': ['原有内容', '原有內容'],
  'already there': ['原有内容', '原有內容'],
  'an agent': ['智能体', 'AI 代理'],
  'a program': ['程序', '程式'],
  'file on disk': ['磁盘上的文件', '磁碟上的檔案'],
  'Jupyter server': ['Jupyter 服务器', 'Jupyter 伺服器'],
  'inline completion': ['行内补全', '行內補全'],
  'Changed on disk': ['文件在磁盘上被更改', '檔案在磁碟上被變更'],
  'Changed by {0}': ['由 {0} 更改', '由 {0} 變更'],
  'Changed by an unknown source': ['由未知来源更改', '由不明來源變更'],
  'Formatted by {0}': ['由 {0} 格式化', '由 {0} 格式化'],
  'Edited by {0}': ['由 {0} 编辑', '由 {0} 編輯'],
  'Edited by hand': ['手动编辑', '手動編輯'],
  'Answer {0} accepted': ['采纳了第 {0} 次回答', '採用了第 {0} 次回答'],
  'An answer accepted': ['采纳了一次回答', '採用了一次回答'],
  Ran: ['运行', '執行'],
  'Ran and failed': ['运行出错', '執行出錯'],
  'Run stopped': ['运行被停止', '執行被停止'],
  'Restored step {0}': ['恢复到第 {0} 步', '還原到第 {0} 步'],
  'Restored an earlier version': ['恢复了较早的版本', '還原了較早的版本'],
  'New conversation': ['新对话', '新對話'],
  'Split a cell': ['拆分单元格', '分割儲存格'],
  'Merged cells': ['合并单元格', '合併儲存格'],
  'Pasted a copy': ['粘贴副本', '貼上副本'],
  'Deleted the cell': ['删除单元格', '刪除儲存格'],
  'Restored the deleted cell': ['恢复已删除的单元格', '還原已刪除的儲存格'],
  'Changed the cell’s type': ['更改单元格类型', '變更儲存格類型'],
  'Moved the cell': ['移动单元格', '移動儲存格'],
  'Cells were added, removed or moved': ['添加、移除或移动了单元格', '新增、移除或移動了儲存格'],
  'Request without text': ['没有文字的请求', '沒有文字的請求'],
  'Other change': ['其他更改', '其他變更'],
  '{0} by AI': ['AI {0}', 'AI {0}'],
  '{0} by hand': ['手写 {0}', '手寫 {0}'],
  '{0} by agents': ['智能体 {0}', 'AI 代理 {0}'],
  '{0} by programs': ['程序 {0}', '程式 {0}'],
  '{0} of unknown origin': ['来源未知 {0}', '來源不明 {0}'],
  '{0} already there': ['原有内容 {0}', '原有內容 {0}'],
  Others: ['其他', '其他'],
  'Agents and programs': ['智能体与程序', 'AI 代理與程式'],
  Name: ['名称', '名稱'],
  'There is no code yet.': ['还没有代码。', '還沒有程式碼。'],
  'Lines that are not blank, as the notebook is now. A line is the AI’s if it came with an answer and no hand has changed it since.': [
    '按笔记本现在的内容统计非空行。随回答而来、此后没有被手动修改过的行算作 AI 写的。',
    '按筆記本現在的內容統計非空白行。隨回答而來、之後沒有被手動修改過的行算作 AI 寫的。'
  ],
  Models: ['模型', '模型'],
  Model: ['模型', '模型'],
  Lines: ['行数', '行數'],
  Share: ['占比', '佔比'],
  Requests: ['请求', '請求'],
  Cells: ['单元格', '儲存格'],
  Cell: ['单元格', '儲存格'],
  unknown: ['未知', '未知'],
  'Made with AI Server. This file holds everything and asks for nothing from the network.': [
    '由 AI Server 生成。所有内容都在此文件中，不访问网络。',
    '由 AI Server 產生。所有內容都在此檔案中，不存取網路。'
  ],
  'one moment back or forward': ['后退或前进一个时刻', '後退或前進一個時刻'],
  'one step of the cell back or forward': ['在单元格内后退或前进一步', '在儲存格內後退或前進一步'],
  'first or last moment': ['第一个或最后一个时刻', '第一個或最後一個時刻'],
  'play or pause': ['播放或暂停', '播放或暫停'],
  authorship: ['代码来源', '程式碼來源'],
  'the three views': ['三个视图', '三個檢視'],
  'this list': ['此列表', '此清單'],
  Space: ['空格', '空白鍵'],
  Close: ['关闭', '關閉']
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
  const own = Object.hasOwn(CHINESE, sentence) && CHINESE[sentence];
  const text =
    own && LANGUAGE !== 'en' ? own[LANGUAGE === 'zh-Hant' ? 1 : 0] : sentence;
  return text.replace(/\{(\d)\}/g, (_, number) => values[number]);
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
  return whole ? `${Math.round((100 * part) / whole)} %` : '–';
}

function seconds(ms) {
  return ms < 10000 ? `${(ms / 1000).toFixed(2)} s` : `${Math.round(ms / 1000)} s`;
}

const KINDS = {
  start: 'Existing content',
  context_reset: 'New conversation',
  split: 'Split a cell',
  merge: 'Merged cells',
  copy: 'Pasted a copy',
  delete: 'Deleted the cell',
  undelete: 'Restored the deleted cell',
  type: 'Changed the cell’s type',
  move: 'Moved the cell',
  order: 'Cells were added, removed or moved'
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
      existing: 'already there'
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
          ? 'Ran and failed'
          : step.outcome === 'cancelled'
            ? 'Run stopped'
            : 'Ran'
      );
    case 'accept': {
      const turn = step.from !== undefined && steps[step.from]?.turn;
      return turn ? t('Answer {0} accepted', turn) : t('An answer accepted');
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
    const took = step.output?.ms === undefined ? '' : ` ${seconds(step.output.ms)}`;
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
    open: [t('not accepted yet'), 'dull'],
    refined: [t('superseded'), 'dull'],
    accepted: [t('accepted'), 'good'],
    rejected: [t('rejected'), 'dull'],
    error: [t('failed'), 'bad'],
    cancelled: [t('stopped'), 'dull']
  }[step.outcome];
}
