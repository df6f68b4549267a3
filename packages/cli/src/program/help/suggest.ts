import type { Command } from 'commander';
import { PRESETS } from '../../allow/presets.js';
import { nearest } from '../nearest.js';

/** Words that other programs have for it, and the verbs that do it here. */
const SYNONYMS: ReadonlyMap<string, readonly string[]> = new Map([
  ['start', ['up']],
  ['restart', ['up --restart']],
  ['stop', ['down', 'panic']],
  ['kill', ['panic']],
  ['setup', ['up', 'import']],
  ['install', ['import']],
  ['undo', ['restore']],
  ['exec', ['run']],
  ['quit', ['down']],
  ['shutdown', ['down']],
  ['inbox', ['approvals']],
  ['pending', ['approvals']],
  ['remove', ['uninstall', 'restore']],
  ['rules', ['policy show']],
  ['anchor', ['audit anchor']],
  ['prove', ['audit prove']],
  ['checkpoint', ['audit checkpoint']],
  ['log', ['tail', 'query']],
  ['logs', ['tail', 'query']],
  ['history', ['query']],
  ['find', ['query']],
  ['search', ['query']],
  ['ps', ['runs']],
  ['explain', ['why', 'policy explain']],
  ['lint', ['policy lint']],
  ['test', ['policy test']],
  ['diff', ['policy diff', 'tools diff']],
  ['replay', ['policy replay']],
  ['verify', ['audit verify']],
  ['backup', ['audit backup']],
  ['list', ['runs', 'query']],
  ['ls', ['runs', 'query']],
  ['hosts', ['allow']],
  ['block', ['policy init', 'allow']],
  ['approve', ['approvals approve', 'tools approve']],
  ['deny', ['approvals deny', 'policy init']],
  ['login', ['account add']],
  ['check', ['doctor']],
]);

/** The same of members of a group, where it has such a member. */
const MEMBERS: ReadonlyMap<string, string> = new Map([
  ['ls', 'list'],
  ['show', 'list'],
  ['rm', 'remove'],
  ['delete', 'remove'],
  ['del', 'remove'],
  ['new', 'add'],
  ['create', 'add'],
  ['check', 'lint'],
  ['validate', 'lint'],
  ['yes', 'approve'],
  ['accept', 'approve'],
  ['no', 'deny'],
  ['reject', 'deny'],
]);

/** The verb of `command`, or below it, that an unknown word probably means; undefined where none is near. */
export function suggestionFor(command: Command, path: readonly string[], word: string): string | undefined {
  if (path.join(' ') === 'allow' && /^[\w-]+(?:\.[\w-]+)+(?::\d+)?$/.test(word)) {
    return `did you mean \`sub allow add ${word}\`?`;
  }
  if (path.join(' ') === 'allow' && PRESETS.some(({ name }) => name === word)) {
    return `did you mean \`sub allow preset ${word}\`?`;
  }
  const members = command.createHelp().visibleCommands(command);
  const names = members.map((member) => member.name());
  const meant = path.length === 0 ? SYNONYMS.get(word) : names.filter((name) => name === MEMBERS.get(word));
  const found = meant === undefined || meant.length === 0 ? nearest(names, word) : meant;
  if (found.length === 0) return undefined;
  const shown = found.map((name) => `\`${['sub', ...path, name].join(' ')}\``);
  return `did you mean ${shown.join(' or ')}?`;
}
