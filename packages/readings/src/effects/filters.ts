import { set, touch, type Effect } from './effect.js';

/** An editor of streams writes its files with `-i`. */
export const inPlace =
  (script: string): Effect =>
  (operands) => {
    const isWriting = operands.words.some(
      (word) => /^-[a-zA-Z]*i/.test(word) || word.startsWith('--in-place'),
    );
    const names = operands.plain(set(script));
    const hasScript = operands.words.some(
      (word) => script.split(' ').includes(word) || /^-[a-z]*[eE]$/.test(word),
    );
    const files = hasScript
      ? names.filter((_, at) => at >= (operands.plain().length - names.length > 0 ? 0 : 1))
      : names.slice(1);
    const scripts = operands.words.flatMap((word) => [
      .../(?:^|[;}\d/])\s*[wW]\s+(\S+)/g[Symbol.matchAll](word),
    ]);
    return [
      ...touch(isWriting ? 'write' : 'read', files),
      ...touch(
        'write',
        scripts.map(([, name]) => name),
      ),
    ];
  };

/** A filter whose first operand is a program of its own, which may write as well. */
export const awk: Effect = (operands) => {
  const names = operands.plain(set('-F -v -f --file'));
  const [program = ''] = names;
  const written = [...program.matchAll(/>{1,2}\s*"([^"]+)"/g)].map(([, name]) => name);
  return [...touch('read', names.slice(1)), ...touch('write', written)];
};

/** An editor reads its files, and writes them where its commands say so. */
export const editor: Effect = (operands) => {
  const names = operands
    .plain(set('-c --cmd -S -s -u -U -i -w -W -T'))
    .filter((name) => !name.startsWith('+'));
  const isWriting = operands.words.some((word) =>
    /(?:^|[+:|\s])(?:wq?a?!?|x(?:it|a)?!?|up(?:date)?|write)(?:\s|\||$)/.test(word),
  );
  return touch(isWriting ? 'write' : 'read', names);
};
