import { join } from 'node:path';
import type { Day } from './day.js';
import { HELD } from './work.js';

/** One use of a verb, and the words of it that a person has to be able to read, and type. */
export interface Use {
  /** The words after `sub`. */
  readonly argv: readonly string[];
  readonly code?: number;
  /** In the output, whose lines are joined where they were folded. */
  readonly shows?: readonly RegExp[];
  /** The end of the output: it names the next step. */
  readonly next?: RegExp;
  /** It does not come out the same a second time. */
  readonly once?: true;
  /** It takes long, and is not tried on a wider terminal. */
  readonly isLong?: true;
  /** Lines for programs or files, which nobody folds. */
  readonly isRaw?: true;
}

/** Verbs that hold a terminal, read from it, serve, or run a program. Other tests hold them to the same. */
export const NOT_WALKED: ReadonlySet<string> = new Set([
  'account add',
  'account remove',
  'account test',
  'audit restore',
  'completion',
  'hooks begin',
  'hooks serve',
  'ledgerd',
  'run',
  'secrets add',
  'shim stdio',
  'ui end',
  'ui open',
  'ui unlock',
  'watch',
  'witness',
  'world close',
  'world commit',
  'world diff',
  'world discard',
  'world doctor',
  'world exec',
  'world profile',
  'world restart',
  'world shell',
  'world warm',
]);

/** The uses of one day, in the order in which somebody would make them. */
export function walk({ at, ended, questions, hints, refused, connection, shop }: Day): readonly Use[] {
  const file = (name: string): string => join(at.root, name);
  const short = ended.slice(-6);
  const [question = '', other = ''] = questions;
  const [hint = '', last = ''] = hints;
  const explained = /`sub policy explain [\w-]{11,}`/;
  const policy = file('laptop.yaml');
  return [
    { argv: ['world', 'status'], shows: [/^no world waits for commands$/m] },
    { argv: ['status'], shows: [/^waiting +5 .*`sub approvals list`/m, /memory +\S+heads\.log/] },
    { argv: ['doctor'], shows: [/help: run `sub import claude --dry-run`/], next: /checks: / },
    { argv: ['init', '--dry-run'], next: /`--diff` shows every line/ },
    { argv: ['init'], code: 2, next: /`sub help init`/ },
    { argv: ['up'] },
    { argv: ['version'] },
    { argv: ['config', 'get'], shows: [/^rate_limits\.actions\."service\.api_call" /m] },
    { argv: ['config', 'get', 'heads_log'], shows: [/^\S+heads\.log$/m] },
    { argv: ['config', 'set', 'log.level', 'info'], shows: [/in force now/] },
    { argv: ['egress'], shows: [/^enforce: /] },
    { argv: ['egress', 'observe'] },
    { argv: ['egress', 'enforce'] },

    { argv: ['tail', '--no-follow'], shows: [new RegExp(` ${last} .*hinted .*rm -rf`)] },
    {
      argv: ['top', '--once'],
      shows: [/^REFUSED OR ASKED, the newest of \d+ first$/m, /^> \S+ +\d+ +\S+ +(?:hinted|refused|asked) /m],
      next: /takes effect by itself|has all of it/,
    },
    { argv: ['query'], shows: [new RegExp(`^ *${refused} .* ${short} `, 'm')] },
    {
      argv: ['query', '--refused'],
      shows: [new RegExp(`^ *${connection} .*net\\.connect .*refused`, 'm')],
      next: /`sub why SEQ`/,
    },
    { argv: ['query', '--flagged'], shows: [/ new_domain$/m] },
    { argv: ['runs'], shows: [new RegExp(`^${short} +fixer `, 'm')] },
    {
      argv: ['show', ended],
      shows: [new RegExp(`^run id +${ended}$`, 'm')],
      next: /`sub query --run \w{26}`/,
    },
    { argv: ['show', refused], shows: [explained, /^run +\w{26}$/m, /^audit ref +[0-9]+\.[0-9a-f]{64}$/m] },
    { argv: ['show', connection], shows: [/registry|169\.254|224\.0/] },
    { argv: ['show', refused, '--raw'], shows: [/^entry [0-9]+ {2}tool_call_start/m] },
    { argv: ['why'], shows: [explained], next: /takes effect by itself|has all of it/ },
    { argv: ['why', refused], shows: [explained, new RegExp(`\`sub hints promote ${refused} --persist\``)] },
    { argv: ['why', connection], next: /`sub show [0-9]+` has all of it/ },
    { argv: ['stats'], shows: [/^pushes-to-shared-branches /m], next: /calls are too few to tell/ },
    { argv: ['report'], isLong: true, shows: [/^What (?!sub-doctor )\S+ did/] },
    { argv: ['report', ended], shows: [new RegExp(`^ +1 +${refused} +no-reading-of-credentials`, 'm')] },
    { argv: ['report', '--since', '1h'], shows: [new RegExp(`^${short} +fixer `, 'm')] },
    { argv: ['hooks', 'explain'], shows: [/Bash/] },
    { argv: ['plane', 'explain'], shows: [/^session \S+ of run /m] },
    { argv: ['plane', 'status'], shows: [/^modes: low observe, ordinary observe, protected observe$/m] },
    { argv: ['plane', 'stats'], shows: [/^claude_hook, \d+ sessions?$/m] },
    // The second time it is there already.
    { argv: ['plane', 'promote', 'low', '--yes'], shows: [/^`(?:plane\.)?low` is (?:at )?`steer`/m] },

    { argv: ['allow', 'list'], shows: [/^registry\.npmjs\.org +443 /m] },
    {
      argv: ['allow', 'seen'],
      shows: [/^ {4}sub allow add registry\.example\.com:80$/m],
      next: /`sub allow seen --add`/,
    },
    { argv: ['allow', 'add', 'example.org'], next: /`sub egress`/ },
    { argv: ['allow', 'deactivate', 'example.org'] },
    { argv: ['allow', 'remove', 'example.org'], once: true },
    { argv: ['allow', 'preset'], shows: [/^rubygems /m], next: /`sub allow preset NAME`/ },
    { argv: ['allow', 'preset', 'npm'] },

    {
      argv: ['approvals', 'list'],
      shows: [
        new RegExp(`^${question} +question .*git push origin`, 'm'),
        new RegExp(`^notes/${HELD} +tool `, 'm'),
        new RegExp(`^${hint} +hint .*rm -rf`, 'm'),
      ],
      next: /`sub approvals show ID`/,
    },
    {
      argv: ['approvals', 'show', question],
      shows: [new RegExp(`^sub approvals approve ${question} --for always `, 'm')],
      next: new RegExp(`sub show ${question} all that is recorded`),
    },
    {
      argv: ['approvals', 'show', hint],
      shows: [new RegExp(`^sub approvals approve ${hint} --for run `, 'm')],
    },
    {
      argv: ['approvals', 'show', `notes/${HELD}`],
      shows: [new RegExp(`sub approvals approve notes/${HELD}`)],
    },
    { argv: ['approvals', 'approve'], code: 2, next: /`sub approvals approve ID`/ },
    { argv: ['approvals', 'approve', question], once: true, shows: [/approved: the same call goes through/] },
    { argv: ['approvals', 'deny', other, '--say', 'not on a Friday'], once: true },
    { argv: ['hints', 'list'], shows: [new RegExp(`^ *${hint} `, 'm')], next: /`sub why SEQ`/ },
    { argv: ['hints', 'show', hint], next: new RegExp(`\`sub why ${hint}\``) },
    { argv: ['hints', 'promote', hint, '--yes'], once: true },
    { argv: ['tools', 'list'], next: /`sub tools diff` shows what/ },
    { argv: ['tools', 'list', 'notes'], shows: [new RegExp(`^${HELD} +held `, 'm')] },
    { argv: ['tools', 'diff'], next: new RegExp(`\`sub tools approve notes ${HELD}\``) },
    { argv: ['tools', 'approve', 'notes', HELD], once: true, next: /restarted/ },
    { argv: ['tools', 'forget', 'notes'], once: true },

    { argv: ['policy', 'init'], next: /`sub policy init NAME` writes one/ },
    { argv: ['policy', 'init', 'developer-laptop', policy], once: true },
    { argv: ['policy', 'lint', policy] },
    { argv: ['policy', 'lint'] },
    { argv: ['policy', 'test'], code: 1, next: /policy\.test\.yaml`/ },
    { argv: ['policy', 'test', policy], isLong: true, next: /0 failed/ },
    { argv: ['policy', 'diff', 'current', policy] },
    { argv: ['policy', 'explain', refused], shows: [/^=> +no-reading-of-credentials /m] },
    { argv: ['policy', 'explain', '--command', 'rm -rf /tmp/x'] },
    { argv: ['policy', 'replay', 'ci-strict'] },
    { argv: ['policy', 'show'] },
    { argv: ['policy', 'show', '--projects'], shows: [/shop/] },
    { argv: ['policy', 'reload'] },
    { argv: ['policy', 'untrust', shop], once: true },
    { argv: ['policy', 'trust', shop, '--yes'] },
    { argv: ['policy', 'keygen', file('policy-key')], once: true },
    { argv: ['policy', 'sign', policy, '--key', file('policy-key')], once: true },
    { argv: ['policy', 'compile', policy], isRaw: true },
    { argv: ['policy', 'schema'], isRaw: true },

    { argv: ['secrets', 'list'], shows: [/^notes-token /m] },
    { argv: ['secrets', 'get', 'notes-token'] },
    { argv: ['secrets', 'unbind', 'notes'], once: true },
    {
      argv: [
        'secrets',
        'bind',
        'notes',
        '--as',
        'NOTES',
        '--ref',
        'notes-token',
        '--',
        process.execPath,
        'notes',
      ],
      once: true,
    },
    { argv: ['secrets', 'unbind', 'notes'], once: true },
    { argv: ['secrets', 'remove', 'notes-token'], once: true },
    { argv: ['account', 'list'], next: /`sub account add/ },
    { argv: ['call', 'email.fetch', '--payload', '{"folder":"inbox"}'], code: 1 },

    { argv: ['import', 'claude'], once: true, next: /`sub restore/ },
    { argv: ['hooks', 'install', 'claude'] },
    { argv: ['hooks', 'status'] },
    { argv: ['hooks', 'uninstall', 'claude'] },
    { argv: ['restore', 'claude'] },

    {
      argv: ['export', 'run', ended, '--out', file('export')],
      once: true,
      next: /`sub audit verify \S+ --pin/,
    },
    { argv: ['ingest', file('export')], code: 2 },
    { argv: ['runs', '--ingested'] },
    { argv: ['audit', 'status'], next: /`sub audit anchor/ },
    { argv: ['audit', 'verify'] },
    { argv: ['audit', 'checkpoint'], isRaw: true },
    { argv: ['audit', 'prove', refused], isRaw: true },
    { argv: ['audit', 'anchor', '--file', file('anchors')] },
    { argv: ['audit', 'backup', file('backup')], once: true, next: /`sub audit verify/ },

    { argv: ['panic', '--reason', 'x'], next: /`sub resume` lets runs begin again/ },
    { argv: ['status'], shows: [/stopped +everything, .*`sub resume`/] },
    { argv: ['doctor'], isLong: true, shows: [/`sub resume`/] },
    { argv: ['resume'], once: true, next: /restart their clients/ },
    { argv: ['down'] },
    { argv: ['status'], code: 5, next: /`sub up`/ },
    { argv: ['up'] },
    { argv: ['uninstall', '--yes'], once: true },
  ];
}
