import { touch, type Effect } from './effect.js';

/** `tar`, with its mode in the first word or in options. */
export const tar: Effect = (operands) => {
  const mode = operands.words.find((word) => /^-?[a-zA-Z]*[cxturA][a-zA-Z]*$/.test(word)) ?? '';
  const bundle = operands.words.findIndex((word) => /^-?[a-zA-Z]*f$/.test(word));
  const file = operands.value('-f', '--file') ?? (bundle === -1 ? undefined : operands.words[bundle + 1]);
  const folder = operands.value('-C', '--directory');
  const rest = operands
    .plain()
    .filter((name) => name !== file && name !== mode && name !== folder)
    .map((name) => (folder === undefined || /^[/~]/.test(name) ? name : `${folder}/${name}`));
  const top = operands.value('--one-top-level');
  if (mode.includes('x') || operands.has('--extract'))
    return [...touch('write', [folder ?? '.', top]), ...touch('read', [file])];
  if (/[cru]/.test(mode) || operands.has('--create'))
    return [
      ...touch('write', [file]),
      ...touch(operands.has('--remove-files') ? 'delete' : 'read', rest, true),
    ];
  return touch('read', [file]);
};
