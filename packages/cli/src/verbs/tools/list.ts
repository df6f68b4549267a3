import { listAt, objectAt, textAt, textsAt, type JsonObject, type JsonValue } from '@subluminal/core-types';
import type { Command } from 'commander';
import { EXIT } from '../../program/exit/codes.js';
import { askOperator } from '../../gateway/door.js';
import type { Output } from '../../output/output.js';
import { table, type Cell } from '../../output/table.js';
import { agoAt } from '../../output/time.js';
import { subVerb, type Does } from '../../program/verb.js';
import { wordsOf } from './words.js';

const SERVERS = [
  { title: 'SERVER', max: 40 },
  { title: 'TOOLS', align: 'right' },
  { title: 'GONE', align: 'right' },
  { title: 'HELD', align: 'right' },
  { title: 'PINNED' },
] as const;

const TOOLS = [
  { title: 'TOOL', max: 50 },
  { title: 'STATE' },
  { title: 'RISK' },
  { title: 'WHY HELD' },
] as const;

const ADVICE = { not_found: '`sub tools list` shows the servers that are known' } as const;

/** `sub tools list [SERVER]`. */
export function defineList(group: Command, does: Does): void {
  does(
    subVerb(group, 'list', 'show what is pinned and what is held').argument(
      '[server]',
      'show the tools of this server',
    ),
    {},
    async (call) => {
      const server = call.args[0];
      const payload = server === undefined ? {} : { server_name: server };
      const data = await askOperator(call.home, call.session.now, 'tools.list', payload, ADVICE);
      const servers = listAt(data, 'servers');
      if (call.output.json) for (const one of servers) call.output.value(one);
      else show(call.output, data, server, call.session.now());
      return EXIT.done;
    },
  );
}

function show(output: Output, data: JsonValue, server: string | undefined, now: number): void {
  const servers = listAt(data, 'servers');
  const [only] = servers;
  if (server !== undefined && only !== undefined) output.lines(table(TOOLS, toolRows(only), output));
  else if (servers.length === 0) output.line('no server has listed its tools yet');
  else
    output.lines(
      table(
        SERVERS,
        servers.map((one) => serverRow(one, now)),
        output,
      ),
    );
  const held = servers.reduce((sum, one) => sum + listAt(one, 'held').length, 0);
  const pin = textAt(data, 'pin');
  if (pin !== 'hold') output.note(`\`[tools] pin\` is "${pin}": nothing is held back`);
  if (held > 0)
    output.note(`${held} to review: \`sub tools diff\` shows what, \`sub tools approve\` takes it`);
}

function serverRow(server: JsonObject, now: number): readonly Cell[] {
  const held = listAt(server, 'held').length;
  return [
    { text: textAt(server, 'server_name') },
    { text: textAt(server, 'pinned') },
    { text: textAt(server, 'missing') },
    { text: String(held), tone: held > 0 ? 'warn' : 'plain' },
    { text: agoAt(server, 'pinned_at', now, 'no complete list yet'), tone: 'dim' },
  ];
}

function toolRows(server: JsonObject): (readonly Cell[])[] {
  const reasons = new Map(
    listAt(server, 'held').map((one) => [textAt(one, 'tool_name'), objectAt(one, 'reason')]),
  );
  const pinned = listAt(server, 'tools').map((one) => textAt(one, 'tool_name'));
  const names = [...pinned, ...[...reasons.keys()].filter((name) => !pinned.includes(name))];
  const known = new Map(listAt(server, 'tools').map((one) => [textAt(one, 'tool_name'), one]));
  return names.map((name) => {
    const one = known.get(name) ?? {};
    const reason = reasons.get(name);
    const state = reason === undefined ? textAt(one, 'state') : 'held';
    return [
      { text: name },
      { text: state === 'missing' ? 'gone' : state, tone: state === 'held' ? 'warn' : 'plain' },
      { text: textsAt(one, 'raised').join(' ') },
      { text: reason === undefined ? '' : wordsOf(reason).what },
    ];
  });
}
