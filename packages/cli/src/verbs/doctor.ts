import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { hasCode } from '@subluminal/ipc';
import { isSublError, numberAt, SublError } from '@subluminal/core-types';
import { tidyLedger } from '@subluminal/ledger';
import type { Command } from 'commander';
import { EXIT } from '../program/exit/codes.js';
import { checkAsking } from '../doctor/asking.js';
import { type Check, printChecks } from '../doctor/check.js';
import { thisMachine } from '../clients/place/machine.js';
import type { Where } from '../clients/client.js';
import { reportClients, type ClientsReport } from '../doctor/clients.js';
import { checkEgress } from '../doctor/egress.js';
import { checkConfig, checkPolicy } from '../doctor/files.js';
import { checkSegments } from '../doctor/files-of-ledger.js';
import { checkGateway, checkLauncher, checkProgram, checkWaiting } from '../doctor/gateway.js';
import { checkHome, checkKeys, checkPermissions, checkSocketPath } from '../doctor/home.js';
import { checkClock, checkHead, checkMemory, checkSqlite } from '../doctor/ledger.js';
import { checkProjects } from '../doctor/projects.js';
import { runningStatus } from '../doctor/running.js';
import { checkSecrets } from '../doctor/secrets.js';
import { checkLayers } from '../world/layer/check-layers.js';
import { checkWorlds } from '../world/check-worlds.js';
import { checkDisk, checkFsync, checkNode, checkOpenFiles } from '../doctor/system.js';
import { counted } from '../output/counted.js';
import { checkPlane } from '../plane/troubles.js';
import { escapeText } from '../output/escape.js';
import { table, wrapped } from '../output/table.js';
import { assertDeliverable, deliver } from '../output/result-file.js';
import type { Call } from '../program/call.js';
import { flag, maybe, type Values } from '../program/flags.js';
import type { Does } from '../program/verb.js';

/** More servers than a person reads are counted. */
const MAX_SERVERS = 100;

const SERVERS = [
  { title: 'CLIENT' },
  { title: 'SERVER', max: 32 },
  { title: 'THROUGH' },
  { title: 'WHERE', max: 300 },
];

const FLAGS = {
  bundle: maybe(
    '[file]',
    'write what was found into one file for a report of a fault, without what is private',
  ),
  withPolicy: flag('with the text of `policy.yaml`; goes with `--bundle`'),
  force: flag('replace the file of `--bundle` where it exists'),
};

type Given = Call<Values<typeof FLAGS>>;

/** `sub doctor`: every check, each with what to do. Fails when one of them does. */
export function define(command: Command, does: Does): void {
  does(command, FLAGS, async (call) => {
    const bundle = bundleCall(call);
    if (bundle !== undefined) assertDeliverable(bundle, true);
    const clients = await reportClients(call.home, whereOf(call), call.session.now);
    const { ledgerDb } = call.home;
    const hadLog = existsSync(`${ledgerDb}-wal`);
    const checks = [...(await examine(call)), ...clients.checks];
    if (!hadLog) leaveNothing(ledgerDb);
    if (bundle !== undefined) return deliverBundle(call, bundle, { checks, clients });
    const failed = checks.filter((check) => check.level === 'fail').length;
    const warned = checks.filter((check) => check.level === 'warn').length;
    if (call.output.json) {
      const { coverage, bypasses } = clients;
      call.output.value({ ok: failed === 0, checks, coverage, bypasses });
    } else {
      printChecks(call.output, checks);
      printClients(call, clients);
      call.output.line();
      call.output.line(`${counted(checks.length, 'check')}: ${failed} failed, ${warned} to look at`);
    }
    return failed === 0 ? EXIT.done : EXIT.failed;
  });
}

type Delivered = Parameters<typeof deliver>[0];

/** The file of the bundle; undefined if none is asked for. */
function bundleCall({ flags, output, session }: Given): Delivered | undefined {
  const { bundle, withPolicy, force } = flags;
  if (bundle === undefined && !withPolicy && !force) return undefined;
  if (bundle === undefined)
    throw new SublError('usage', `\`--${withPolicy ? 'with-policy' : 'force'}\` goes with \`--bundle\``);
  const day = new Date(session.now()).toISOString().slice(0, 10);
  const out = resolve(session.cwd, bundle === '' ? `sub-doctor-${day}.txt` : bundle);
  return { flags: { out, force }, output };
}

/** Writes the bundle, and says what is in it, and that it went nowhere. */
async function deliverBundle(
  call: Given,
  delivered: Delivered,
  found: { readonly checks: readonly Check[]; readonly clients: ClientsReport },
): Promise<number> {
  const { output } = call;
  // Loaded late: most calls of this verb need none of it.
  const { bundleOf } = await import('../doctor/bundle/bundle.js');
  const { text, holds } = bundleOf(call, found, call.flags.withPolicy);
  const file = deliver(delivered, text, 0o600);
  if (output.json) output.value({ bundle: file, holds: holds.map((one) => ({ ...one })) });
  else {
    output.line(`written: ${escapeText(file ?? '')}`);
    output.lines(holds.map(({ part, lines }) => `  ${part} (${counted(lines, 'line')})`));
    output.line('nothing was sent: read the file, then attach it to your report yourself');
  }
  return EXIT.done;
}

async function examine(call: Call): Promise<readonly Check[]> {
  const { home, session } = call;
  const first = [checkNode(process.version), checkProgram(session.gatewayProgram), checkHome(home)];
  if (!existsSync(home.home)) return first;
  const projects = await checkProjects(home, session.now);
  const secrets = await checkSecrets(home, session.now);
  const status = await runningStatus(home, session.now);
  const egress = await checkEgress(home, status, session);
  const openFiles = checkOpenFiles(limitsOf(status === undefined ? undefined : numberAt(status, 'pid')));
  return [
    ...first,
    checkPermissions(home),
    checkKeys(home),
    await checkConfig(call, status),
    checkPolicy(home),
    checkSocketPath(home),
    await checkGateway(home, session.now),
    ...[
      checkLauncher(home, session.program),
      checkAsking(home),
      await checkWaiting(call),
      projects,
      secrets,
      egress,
      checkWorlds(status),
      checkPlane(status),
      checkLayers(home, session.now()),
      openFiles,
    ].filter((check) => check !== undefined),
    checkSqlite(home),
    checkHead(home, session.now()),
    checkSegments(home),
    checkMemory(home, session.environment.stateFolders),
    checkClock(home, session.now()),
    checkDisk(home),
    checkFsync(home, () => performance.now()),
  ];
}

/**
 * Reads the system's limits of a process, of this one where none is named. Empty on systems other than Linux.
 */
function limitsOf(pid: number | undefined): string {
  try {
    return readFileSync(`/proc/${pid ?? 'self'}/limits`, 'latin1');
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ESRCH', 'EACCES', 'EPERM')) return '';
    throw error;
  }
}

/**
 * Removes the files that reading left beside a ledger that nobody writes. The checks of the ledger tell of
 * its own faults.
 */
function leaveNothing(ledgerDb: string): void {
  if (!existsSync(`${ledgerDb}-wal`)) return;
  try {
    tidyLedger(ledgerDb);
  } catch (error) {
    if (!isSublError(error)) throw error;
  }
}

/** The clients of this machine, as they would be started here. */
function whereOf({ session }: Call): Where {
  return thisMachine(session.environment.all, session.cwd);
}

/** Said whatever is found: no check can see them. */
const BUILT_IN =
  'not seen: the tools that are built into a client without hooks (Bash, Write, Edit, WebFetch, …)';

/**
 * Each server with where it stands and what is odd about it; then what would take a client's servers past us.
 */
function printClients({ output }: Call, { coverage, bypasses }: ClientsReport): void {
  if (coverage.length > 0) {
    output.line();
    const rows = coverage
      .slice(0, MAX_SERVERS)
      .map(({ client, server, through, broken, reason, file }) => [
        { text: client },
        { text: server },
        through
          ? { text: 'yes', tone: 'good' as const }
          : ({ text: 'no', tone: broken ? 'bad' : 'warn' } as const),
        { text: [reason, file].filter((part) => part !== undefined && part !== '').join('; ') },
      ]);
    output.lines(table(SERVERS, rows, output));
    const more = coverage.length - rows.length;
    if (more > 0) output.line(`and ${more} more: \`--json\` has them all`);
  }
  output.line();
  output.lines(wrapped(BUILT_IN, output.width));
  for (const client of new Set(bypasses.map((one) => one.client))) {
    const ways = bypasses.filter((one) => one.client === client && !one.set).map(({ way }) => way);
    if (ways.length > 0) output.lines([`${client} is started past these by:`, ...rowsOf(ways)]);
  }
}

/** Texts in rows of 80 columns, as many as fit. */
function rowsOf(texts: readonly string[]): readonly string[] {
  const rows: string[] = [];
  for (const text of texts) {
    const last = rows.at(-1);
    if (last !== undefined && last.length + text.length + 2 <= 80) rows[rows.length - 1] = `${last}, ${text}`;
    else rows.push(`  ${text}`);
  }
  return rows;
}
