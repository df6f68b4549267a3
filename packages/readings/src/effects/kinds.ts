import { findResults, findStarts, takesAll } from '../shell/operands/find.js';
import { set, touch, type Effect } from './effect.js';
import type { Access, Operands } from './touch.js';

/** All operands, but the values of the options that it takes. */
export const all = (access: Access, takes?: string): Effect => {
  const withValue = takes === undefined ? undefined : set(takes);
  return (operands) => touch(access, operands.plain(withValue));
};

export const remove: Effect = (operands) => {
  const names = operands.plain();
  const isRecursive = operands.hasShort('rR') || operands.has('--recursive');
  return [
    ...touch('delete', names, isRecursive),
    ...touch('delete', isRecursive ? names.map(emptied) : [], true),
  ];
};

/** The folder of which a name takes all: `x/*`; undefined for any other name. */
function emptied(name: string): string | undefined {
  const end = name.lastIndexOf('/');
  if (!/^\.?[\uE001\uE002]*\uE001$/.test(name.slice(end + 1))) return undefined;
  return end === -1 ? '.' : name.slice(0, Math.max(end, 1));
}

export const afterFirst = (
  access: Access,
  takes: string,
  instead: readonly string[] = [],
  isRecursive: (operands: Operands) => boolean = () => false,
): Effect => {
  const withValue = set(takes);
  return (operands) => {
    const names = operands.plain(withValue);
    return touch(access, operands.has(...instead) ? names : names.slice(1), isRecursive(operands));
  };
};

/** The mode or the owner comes first, unless another file gives it. */
export const changeMode: Effect = (operands) => {
  const names = operands.words.filter((word) => !word.startsWith('--') && !/^-[RHLPcfvh]+$/.test(word));
  const isFirst = operands.words.some((word) => word.startsWith('--reference='));
  return touch('change', isFirst ? names : names.slice(1));
};

export const diskCopy: Effect = ({ words }) => [
  ...touch(
    'write',
    words.map((word) => /^of=(.*)$/s.exec(word)?.[1]),
  ),
  ...touch(
    'read',
    words.map((word) => /^if=(.*)$/s.exec(word)?.[1]),
  ),
];

export const find: Effect = (operands) => {
  const { words } = operands;
  const isDeleting = operands.has('-delete');
  const written = operands.values('-fprint', '-fls', '-fprintf', '-fprint0');
  return [
    ...touch('look', findStarts(words)),
    ...touch('write', written),
    ...(isDeleting
      ? touch('delete', [...findResults(words), ...(takesAll(words) ? findStarts(words) : [])], true)
      : []),
  ];
};

/** A program that writes where an option tells, and reads its operands. */
export const writing =
  (options: string, takes = ''): Effect =>
  (operands) => [
    ...touch('write', operands.values(...options.split(' '))),
    ...touch('read', operands.plain(set(`${options} ${takes}`))),
  ];

/** A program that reads all of its operands but the last, which it writes. */
export const lastWritten: Effect = (operands) => {
  const names = operands.plain(set('-i -f -c -s -t -r -o -l'));
  return names.length < 2
    ? touch('read', names)
    : [...touch('read', names.slice(0, -1)), ...touch('write', names.slice(-1))];
};

/** A packer puts its result in the place of a file. */
export const packer: Effect = (operands) =>
  touch(operands.hasShort('ctlk') || operands.has('--stdout', '--keep') ? 'read' : 'write', operands.plain());

export const patch: Effect = (operands) => [
  ...touch('write', operands.plain(set('-p -i -o -d -D -F -z')).slice(0, 1)),
  ...touch('write', operands.values('-o', '--output', '-d', '--directory')),
  ...touch('read', operands.values('-i', '--input')),
];

export const sshKey: Effect = (operands) => {
  const files = operands.values('-f');
  if (operands.hasShort('l')) return touch('look', files.length > 0 ? files : operands.plain().slice(0, 1));
  return touch(operands.has('-y') ? 'read' : 'write', files);
};

export const openssl: Effect = (operands) => [
  ...touch('write', operands.values('-out', '--out')),
  ...touch('read', operands.values('-in', '--in', '-inkey', '--inkey')),
];

export const sort: Effect = (operands) => [
  ...touch('write', operands.values('-o', '--output')),
  ...touch('read', operands.plain(set('-o -k -t -S -T --output'))),
];

export const script: Effect = (operands) => {
  const file = operands.plain(set('-c')).find((name) => name !== '-');
  return operands.words.some((word) => /^-[a-zA-Z]*c$/.test(word)) ? [] : touch('read', [file]);
};
