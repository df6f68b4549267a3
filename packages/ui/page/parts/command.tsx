import { useState } from 'preact/hooks';
import type { JSX } from 'preact';
import { plainText } from './plain-text.js';

/** Copies a text. Resolves to whether the browser let it. */
export type Copy = (text: string) => Promise<boolean>;

/** A command of the terminal, with a button that copies it. */
export function Command({ text, copy }: { readonly text: string; readonly copy: Copy }): JSX.Element {
  return (
    <span class="command">
      <code>{plainText(text, text.length)}</code>
      <CopyButton text={text} copy={copy} says="Copy" />
    </span>
  );
}

/** A button that copies a command, says which, and for two seconds that it did. */
export function CopyButton({
  text,
  copy,
  says = `Copy \`${plainText(/^sub(?: [a-z]+(?= |$)){0,2}/.exec(text)?.[0] ?? text, 40)}\``,
}: {
  readonly text: string;
  readonly copy: Copy;
  readonly says?: string;
}): JSX.Element {
  const [told, tell] = useState('');
  const press = async (): Promise<void> => {
    tell((await copy(text)) ? 'Copied' : 'Mark it, and copy by hand');
    setTimeout(() => tell(''), 2000);
  };
  return (
    <button type="button" onClick={() => void press()}>
      {told === '' ? says : told}
    </button>
  );
}
