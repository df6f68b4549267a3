import type { VerbEntry } from './verb.js';

const GATEWAY = 'The gateway';
const AGENTS = 'Agents and their servers';
const RECORD = 'The record';
const PROOFS = 'Proofs of the record';
const RULES = 'What is allowed';
const OTHER = 'Other';

/** Every verb of this version. A verb's file is loaded when that verb is used, and only then. */
export const VERBS: readonly VerbEntry[] = [
  {
    name: 'init',
    summary: 'set everything up, a step at a time, and say how to undo it',
    heading: GATEWAY,
    load: () => import('../verbs/init.js'),
  },
  {
    name: 'up',
    summary: 'start the gateway',
    heading: GATEWAY,
    load: () => import('../verbs/up.js'),
  },
  { name: 'down', summary: 'stop the gateway', heading: GATEWAY, load: () => import('../verbs/down.js') },
  {
    name: 'panic',
    summary: 'end every run, and refuse everything until `sub resume`',
    heading: GATEWAY,
    load: () => import('../verbs/panic.js'),
  },
  {
    name: 'resume',
    summary: 'let runs begin again after `sub panic`',
    heading: GATEWAY,
    load: () => import('../verbs/resume.js'),
  },
  {
    name: 'status',
    summary: 'show the gateway, its runs, its policy and the head of its ledger',
    heading: GATEWAY,
    load: () => import('../verbs/status.js'),
  },
  {
    name: 'doctor',
    summary: 'check everything that the gateway needs, and say what to do',
    heading: GATEWAY,
    load: () => import('../verbs/doctor.js'),
  },
  {
    name: 'config',
    summary: 'read and write the settings of the gateway',
    heading: GATEWAY,
    load: () => import('../verbs/config/group.js'),
  },
  {
    name: 'uninstall',
    summary: 'take back every import, stop the gateway, and remove its home',
    heading: GATEWAY,
    load: () => import('../verbs/uninstall.js'),
  },
  { name: 'run', summary: 'run an agent as one run', heading: AGENTS, load: () => import('../verbs/run.js') },
  {
    name: 'world',
    summary: 'run commands whose every connection is the gateway’s',
    heading: AGENTS,
    load: () => import('../verbs/world/group.js'),
  },
  {
    name: 'import',
    summary: 'put the servers of a client behind the gateway',
    heading: AGENTS,
    load: () => import('../verbs/import.js'),
  },
  {
    name: 'restore',
    summary: 'take back what `sub import` and `sub hooks install` changed',
    heading: AGENTS,
    load: () => import('../verbs/restore.js'),
  },
  {
    name: 'hooks',
    summary: 'ask the gateway for what clients do with their own tools',
    heading: AGENTS,
    load: () => import('../verbs/hooks/group.js'),
  },
  {
    name: 'plane',
    summary: 'tell where the work of an agent changed',
    heading: AGENTS,
    load: () => import('../verbs/plane/group.js'),
  },
  {
    name: 'shim',
    summary: 'put one MCP server behind the gateway',
    heading: AGENTS,
    load: () => import('../verbs/shim/stdio.js'),
  },
  {
    name: 'call',
    summary: 'ask the gateway for one action',
    heading: AGENTS,
    load: () => import('../verbs/call.js'),
  },
  {
    name: 'tail',
    summary: 'show the newest calls, and the next as they come',
    heading: RECORD,
    load: () => import('../verbs/tail.js'),
  },
  {
    name: 'watch',
    summary: 'show calls as they come, and answer questions about them by a key',
    heading: RECORD,
    load: () => import('../verbs/watch.js'),
  },
  {
    name: 'top',
    summary: 'show what runs and what was refused last, on one screen that keeps up',
    heading: RECORD,
    load: () => import('../verbs/top.js'),
  },
  {
    name: 'ui',
    summary: 'open the page: see calls as they come, answer, and prove the record',
    heading: RECORD,
    alone: 'open',
    load: () => import('../verbs/ui/group.js'),
  },
  { name: 'query', summary: 'search the ledger', heading: RECORD, load: () => import('../verbs/query.js') },
  { name: 'runs', summary: 'list the runs', heading: RECORD, load: () => import('../verbs/runs.js') },
  {
    name: 'show',
    summary: 'show all that is recorded of one call or entry',
    heading: RECORD,
    load: () => import('../verbs/show.js'),
  },
  {
    name: 'why',
    summary: 'say why a call was refused, and how to go on',
    heading: RECORD,
    load: () => import('../verbs/why.js'),
  },
  {
    name: 'stats',
    summary: 'count decisions and questions, and name rules that ask too much',
    heading: RECORD,
    load: () => import('../verbs/stats.js'),
  },
  {
    name: 'report',
    summary: 'tell what an agent did, and what a stricter policy would have stopped',
    heading: RECORD,
    load: () => import('../verbs/report.js'),
  },
  {
    name: 'allow',
    summary: 'the hosts that actions may reach, and connections in enforce',
    heading: RULES,
    load: () => import('../verbs/allow/group.js'),
  },
  {
    name: 'egress',
    summary: 'say, or choose, what becomes of connections to unlisted places',
    heading: RULES,
    load: () => import('../verbs/egress.js'),
  },
  {
    name: 'approvals',
    alone: 'list',
    summary: 'answer what waits for the operator',
    heading: RULES,
    load: () => import('../verbs/approvals/group.js'),
  },
  {
    name: 'policy',
    summary: 'write, check, compare, explain and load policies',
    heading: RULES,
    load: () => import('../verbs/policy/group.js'),
  },
  {
    name: 'tools',
    summary: 'review the tools of servers that are not what was approved',
    heading: RULES,
    load: () => import('../verbs/tools/group.js'),
  },
  {
    name: 'hints',
    summary: 'what refused calls were told, and letting such calls through',
    heading: RULES,
    load: () => import('../verbs/hints/group.js'),
  },
  {
    name: 'secrets',
    summary: 'what servers get in their environment, and agents never see',
    heading: RULES,
    load: () => import('../verbs/secrets/group.js'),
  },
  {
    name: 'account',
    summary: 'the accounts with services outside that actions are done with',
    heading: RULES,
    load: () => import('../verbs/account/group.js'),
  },
  {
    name: 'export',
    summary: 'write a run and its proof into a folder',
    heading: PROOFS,
    load: () => import('../verbs/export/group.js'),
  },
  {
    name: 'ingest',
    summary: 'keep the events or the bundle of another place as its testimony',
    heading: PROOFS,
    load: () => import('../verbs/ingest.js'),
  },
  {
    name: 'audit',
    summary: 'prove the ledger',
    heading: PROOFS,
    load: () => import('../verbs/audit/group.js'),
  },
  {
    name: 'witness',
    summary: 'cosign the checkpoints of ledgers, as their memory elsewhere',
    heading: PROOFS,
    load: () => import('../verbs/witness.js'),
  },
  {
    name: 'ledgerd',
    summary: 'the same as `sub up --foreground`',
    heading: PROOFS,
    load: () => import('../verbs/ledgerd.js'),
  },
  {
    name: 'version',
    summary: 'print the version',
    heading: OTHER,
    load: () => import('../verbs/version.js'),
  },
  {
    name: 'completion',
    summary: 'print a completion script for a shell',
    heading: OTHER,
    load: () => import('../verbs/completion.js'),
  },
];
