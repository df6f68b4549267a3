import { HOOK_CLIENTS } from '../hooks/all.js';
import { counted } from '../output/counted.js';
import { escapeText } from '../output/escape.js';
import type { Surface } from '../output/style.js';
import { pairs, wrapped, type Cell } from '../output/table.js';
import type { Found, FoundClient, FoundHooks } from './found.js';
import { problemsOf, routedIn } from './outcome.js';

type Row = readonly [string, Cell];

/** More names than these are counted. */
const MAX_NAMES = 8;
const MAX_LEFT = 4;

/** The machine in few lines: what each client would be, what stays, and what stands in the way. */
export function planLines(found: Found, surface: Surface): readonly string[] {
  const { clients, absent } = found;
  const lines = clients.flatMap((one) => [
    surface.paint('bold', one.client.title),
    ...pairs(rowsOf(one, found.where.userHome), surface.paint, surface.width - 2).map((line) => `  ${line}`),
  ]);
  const others = absent.map(({ title }) => title).join(', ');
  if (clients.length === 0) return wrapped(`no client was found: ${others}`, surface.width);
  if (others === '') return lines;
  return [...lines, ...wrapped(`not found: ${others}`, surface.width)];
}

function rowsOf({ outcome, files, shared, hooks, bypasses, client }: FoundClient, home: string): Row[] {
  const planned = files.flatMap((file) => file.planned);
  const routed = routedIn(files);
  const already = planned.filter(({ becomes }) => becomes === 'already').map(({ entry }) => entry.name);
  const left = [
    ...planned.flatMap(({ entry, becomes, why }) =>
      becomes === 'left' ? [{ name: entry.name, reason: why ?? 'it cannot be routed' }] : [],
    ),
    ...outcome.unroutable,
  ];
  const broken = problemsOf({ ...outcome, files });
  const none = routed.length + already.length + left.length + broken.length === 0;
  return [
    ...(routed.length === 0 ? [] : [row('servers', `would pass the gateway: ${some(routed)}`, 'good')]),
    ...(already.length === 0 ? [] : [row('servers', `pass the gateway already: ${some(already)}`)]),
    ...(none ? [row('servers', 'none in its files')] : []),
    ...left.slice(0, MAX_LEFT).map(({ name, reason }) => row('stays', `${name}: ${reason}`)),
    ...(left.length > MAX_LEFT
      ? [
          row(
            'stays',
            `and ${counted(left.length - MAX_LEFT, 'other')}: \`sub import ${client.name} --dry-run\``,
          ),
        ]
      : []),
    ...broken.map((one) => row('broken', `${one.message}: it is not touched`, 'bad')),
    ...(hooks === undefined ? [row('own tools', noHooks(client.name))] : hookRows(hooks, home)),
    ...bypasses.map(({ way, effect }) => row('mind', `\`${way}\`: ${effect}`, 'warn')),
    ...shared.map(({ file }) =>
      row(
        'shared',
        `${short(file.path, home)} is other people's, too: \`sub import ${client.name} --scope project\``,
      ),
    ),
  ];
}

function hookRows({ coverage, planned, problem }: FoundHooks, home: string): Row[] {
  const { state, obstacles, foreign } = coverage;
  const others = [...new Set(planned.flatMap(({ before, contents }) => contents(before).others))];
  const paths = planned.map(({ path }) => short(path, home)).join(', ');
  return [
    problem !== undefined
      ? row('own tools', `cannot be asked for: ${problem.message}`, 'bad')
      : state === 'installed'
        ? row('own tools', 'ask the gateway already')
        : row('own tools', `would ask the gateway, by hooks in ${paths}`, 'good'),
    ...(others.length === 0 ? [] : [row('stays', `hooks of others: ${some(others)}`)]),
    ...obstacles.map(({ path, why }) => row('mind', `${why} in ${short(path, home)}`, 'warn')),
    ...foreign.map(({ path, events }) =>
      row('mind', `the project brings hooks of its own in ${short(path, home)}: ${some(events)}`, 'warn'),
    ),
  ];
}

function noHooks(name: string): string {
  return HOOK_CLIENTS.some((client) => client.name === name)
    ? `its folder is not there yet: start it once, then \`sub hooks install ${name}\``
    : 'are not seen: it has no hooks that are known';
}

function row(name: string, text: string, tone: Cell['tone'] = 'plain'): Row {
  return [name, { text, tone }];
}

function some(names: readonly string[]): string {
  const more = names.length > MAX_NAMES ? `, and ${counted(names.length - MAX_NAMES, 'other')}` : '';
  return `${names.slice(0, MAX_NAMES).join(', ')}${more}`;
}

/** A path as people write it. */
export function short(path: string, home: string): string {
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : escapeText(path);
}
