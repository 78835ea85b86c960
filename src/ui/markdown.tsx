/**
 * Renders Markdown that a model wrote.
 *
 * Invariant: a model's text loads nothing and runs nothing. HTML elements are created only for the
 * kinds of tokens that `render` lists. HTML, links and images in a model's text are shown as text,
 * and diagrams are shown as code.
 */
import type { Token, Tokens } from 'marked';
import * as React from 'react';

type Lexer = (text: string) => Token[];

/** Returns what is shown for a piece of plain text. */
export type RenderText = (text: string) => React.ReactNode;

/** The lexer of the Markdown parser; null until the parser is loaded. */
let loadedLexer: Lexer | null = null;

/**
 * Show a text as Markdown or, while the parser is being loaded, as plain text. `renderText` can mark
 * parts of the text.
 */
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

function render(token: Token, renderText: RenderText): React.ReactNode {
  const children = renderAll(
    (token as { tokens?: Token[] }).tokens,
    renderText
  );
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'paragraph':
      return <p>{children}</p>;
    case 'heading':
      // A real heading would look like a heading of the notebook to a screen reader.
      return (
        <p>
          <strong>{children}</strong>
        </p>
      );
    case 'blockquote':
      return <blockquote>{children}</blockquote>;
    case 'list':
      return renderList(token as Tokens.List, renderText);
    case 'code':
      return (
        <pre>
          <code>{token.text}</code>
        </pre>
      );
    case 'table':
      return renderTable(token as Tokens.Table, renderText);
    case 'hr':
      return <hr />;
    case 'br':
      return <br />;
    case 'strong':
      return <strong>{children}</strong>;
    case 'em':
      return <em>{children}</em>;
    case 'del':
      return <s>{children}</s>;
    case 'codespan':
      return <code>{token.text}</code>;
    case 'link':
      return renderLink(token as Tokens.Link, children);
    case 'escape':
      return token.text;
    case 'text':
      return children ?? renderText(token.text);
    default: // HTML, images, and kinds of tokens that a later version of the parser may have
      return token.raw;
  }
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

/** Show a link as its text and its address, without a way to open the link by a click. */
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
