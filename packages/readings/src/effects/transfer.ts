import { touch, type Effect } from './effect.js';
import type { Operands, Touch } from './touch.js';

/** Whether a name is that of a file here: `web:/x`, `s3://b/x` and `gs://b/x` are elsewhere. */
const isHere = (name: string): boolean => !/^[\w.@/-]*[\w.@-]:/.test(name) || /^file:/i.test(name);

/** Reads all operands but the last, which it writes, as far as they are files of this machine. */
function copied(names: readonly string[]): readonly Touch[] {
  return [
    ...touch('read', names.slice(0, -1).filter(isHere), true),
    ...touch('write', names.slice(-1).filter(isHere)),
  ];
}

const afterVerb = (operands: Operands, verb: RegExp): readonly string[] => {
  const names = operands.plain();
  const at = names.findIndex((name) => verb.test(name));
  return at === -1 ? [] : names.slice(at + 1);
};

/**
 * `docker cp`, `kubectl cp`, folders that are mounted, files that become secrets.
 */
export const containers: Effect = (operands) => [
  ...copied(afterVerb(operands, /^cp$/)),
  ...touch('read', operands.words.map(fromFile), true),
];

/** `--from-file=NAME=PATH`, `--secret id=x,src=PATH`. */
function fromFile(word: string): string | undefined {
  return (
    /^--from-file=(?:[^=/]*=)?(.+)$/s.exec(word)?.[1] ?? /(?:^|[=,])(?:src|source)=([^,]+)/.exec(word)?.[1]
  );
}

/** `aws s3 cp`, `gsutil cp`, `rclone copy`: from here to a store, or the other way round. */
export const stores: Effect = (operands) =>
  copied(afterVerb(operands, /^(?:cp|mv|sync|rsync|copy|copyto|move|moveto)$/));

/** `npm install --prefix DIR`, `pip install --target DIR`. */
export const installers: Effect = (operands) =>
  operands.plain().some((word) => /^(?:install|i|ci|add|download)$/.test(word))
    ? touch('write', operands.values('--prefix', '--target', '-t', '--root', '--dir', '-C', '--cwd'))
    : [];
