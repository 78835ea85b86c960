/**
 * Renders Markdown that a model wrote.
 *
 * Invariant: the text loads nothing and runs nothing. Only the kinds of tokens in `RENDERERS` create
 * elements; HTML, links, images and diagrams are shown as text.
 */
import type { Token, Tokens } from 'marked';
import * as React from 'react';

type Lexer = (text: string) => Token[];

/** Returns what is shown for a piece of plain text. */
export type RenderText = (text: string) => React.ReactNode;

/** Null until the Markdown parser is loaded. */
let loadedLexer: Lexer | null = null;

/** Plain text until the parser is loaded. `renderText` can mark parts. */
export function Markdown(props: {
  text: string;
  renderText?: RenderText;
}): React.JSX.Element {
  const [lexer, setLexer] = React.useState<Lexer | null>(() => loadedLexer);
  React.useEffect(() => {
    let isMounted = true;
    void import('marked').then(({ lexer: loaded }) => {
      loadedLexer = loaded;
      if (isMounted) {
        setLexer(() => loaded);
      }
    });
    return () => void (isMounted = false);
  }, []);
  return lexer ? (
    <div className="jp-AIServer-Markdown">
      {renderAll(lexer(props.text), props.renderText ?? String)}
    </div>
  ) : (
    <p className="jp-AIServer-Markdown jp-mod-plain">{props.text}</p>
  );
}

function renderAll(
  tokens: readonly Token[] | undefined,
  renderText: RenderText
): React.ReactNode {
  return tokens?.map((token, index) => (
    <React.Fragment key={index}>{render(token, renderText)}</React.Fragment>
  ));
}

type Render = (
  token: Token,
  children: React.ReactNode,
  renderText: RenderText
) => React.ReactNode;

const RENDERERS = new Map<string, Render>([
  ['space', () => null],
  ['def', () => null],
  ['paragraph', (_, children) => <p>{children}</p>],
  [
    'heading',
    // A screen reader would take a real heading for one of the notebook.
    (_, children) => (
      <p>
        <strong>{children}</strong>
      </p>
    )
  ],
  ['blockquote', (_, children) => <blockquote>{children}</blockquote>],
  ['list', (token, _, text) => renderList(token as Tokens.List, text)],
  [
    'code',
    token => (
      <pre>
        <code>{(token as Tokens.Code).text}</code>
      </pre>
    )
  ],
  ['table', (token, _, text) => renderTable(token as Tokens.Table, text)],
  ['hr', () => <hr />],
  ['br', () => <br />],
  ['strong', (_, children) => <strong>{children}</strong>],
  ['em', (_, children) => <em>{children}</em>],
  ['del', (_, children) => <s>{children}</s>],
  ['codespan', token => <code>{(token as Tokens.Codespan).text}</code>],
  ['link', (token, children) => renderLink(token as Tokens.Link, children)],
  ['escape', token => (token as Tokens.Escape).text],
  [
    'text',
    (token, children, text) => children ?? text((token as Tokens.Text).text)
  ]
]);

function render(token: Token, renderText: RenderText): React.ReactNode {
  const { tokens } = token as { tokens?: Token[] };
  const renderer = RENDERERS.get(token.type);
  return renderer
    ? renderer(token, renderAll(tokens, renderText), renderText)
    : token.raw; // HTML, images, and kinds that a later version of the parser may have
}

function renderList(
  { ordered, start, items }: Tokens.List,
  renderText: RenderText
): React.ReactNode {
  const children = items.map((item, index) => (
    <li key={index}>{renderAll(item.tokens, renderText)}</li>
  ));
  return ordered ? (
    <ol start={start || undefined}>{children}</ol>
  ) : (
    <ul>{children}</ul>
  );
}

function renderTable(
  { header, rows }: Tokens.Table,
  renderText: RenderText
): React.ReactNode {
  return (
    <table>
      <thead>
        <tr>
          {header.map((cell, index) => (
            <th key={index}>{renderAll(cell.tokens, renderText)}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, rowIndex) => (
          <tr key={rowIndex}>
            {row.map((cell, index) => (
              <td key={index}>{renderAll(cell.tokens, renderText)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A link's text and address, which a click doesn't open. */
function renderLink(
  { text, href }: Tokens.Link,
  children: React.ReactNode
): React.ReactNode {
  return text === href ? (
    text
  ) : (
    <>
      {children} ({href})
    </>
  );
}
