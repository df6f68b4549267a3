import { touch, type Effect } from './effect.js';

/** The files that a verb of `git` names; those of its own store are none. */
export const git: Effect = (operands) => [
  ...touch('write', operands.values('--output')),
  ...ofVerb(operands),
];

const ofVerb: Effect = (operands) => {
  const [verb = '', first = '', second, third] = operands.plain();
  switch (verb) {
    case 'clone':
      return touch('write', [second ?? '.']);
    case 'init':
      return touch('write', [first === '' ? '.' : first]);
    case 'worktree':
      return first === 'add'
        ? touch('write', [second])
        : first === 'remove'
          ? touch('delete', [second], true)
          : [];
    case 'rm':
      return operands.has('--cached')
        ? []
        : touch('delete', operands.plain().slice(1), operands.hasShort('r'));
    case 'diff':
      return operands.has('--no-index') ? touch('read', [first, second, third]) : [];
    case 'archive':
      return touch('write', operands.values('-o', '--output'));
    case 'bundle':
      return touch('write', first === 'create' ? [second] : []);
    case 'format-patch':
      return touch('write', operands.values('-o', '--output-directory'));
    case 'config':
      return touch('write', operands.values('-f', '--file'));
    case 'hash-object':
    case 'add':
    case 'grep':
      return touch('read', operands.plain().slice(verb === 'grep' ? 2 : 1));
    case 'show':
    case 'cat-file':
      return touch(
        'read',
        operands.plain().map((name) => /^[^/]*?:(.+)$/.exec(name)?.[1]),
      );
    case 'apply':
    case 'am':
      return touch('write', operands.values('--directory'));
    default:
      return [];
  }
};
