import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gatewayListens, homePaths } from '@subluminal/ipc';
import { startGateway } from '@subluminal/shim';
import Database from 'better-sqlite3';
import { createHome, type TestHome } from '../harness/home.js';
import { eventually, processesWith, watchEnd } from '../harness/processes.js';
import { shimCommand } from '../harness/sub.js';
import { WATCHED_GATEWAY } from '../support/watch.js';
import type { Cycle, Point, Target } from './cycle.js';
import { Evidence } from './evidence.js';

const CLIENT = fileURLToPath(new URL('client.mjs', import.meta.url));
const SERVER = fileURLToPath(new URL('server.mjs', import.meta.url));

const POLICY = `policy_id: kills
version: "1"
mode: guardrails
defaults: { decision_on_error: BLOCK }
selectors: {}
rules:
  - rule_id: never
    kind: deny
    enabled: true
    severity: critical
    match: { tool_name: { glob: [forbidden] } }
    effect: { action: BLOCK, reason_code: DENYLIST_MATCH, message: this tool is forbidden }
`;

export interface YardOptions {
  readonly shims: number;
  /** Calls in flight on each shim. */
  readonly inFlight: number;
  /** How long each of them waits after an answer before it asks again, in milliseconds. */
  readonly pauseMs: number;
  /** How many of the servers ignore the end of their input and every signal. */
  readonly stubborn: number;
}

/** Files small enough that the ledger goes on in another one every few cycles. */
const CONFIG = '[runs]\nenrolments_per_minute = 600\n[ledger]\nsegment_mb = 2\n';

/** One home with everything that runs on it: gateway, client, shims, servers. */
export class Yard {
  readonly home: TestHome;
  readonly evidence: Evidence;
  /** From the death of a gateway to the first connection that the next one takes, in milliseconds. */
  readonly absences: number[] = [];
  readonly #options: YardOptions;
  readonly #mark: string;
  readonly #executed: string;
  readonly #answers: string;
  #client: ChildProcess | undefined;
  #shims = new Map<number, number>();
  #epoch = 0;

  constructor(options: YardOptions) {
    this.#options = options;
    this.home = createHome({ policy: POLICY, config: CONFIG });
    this.#mark = `KILLS_MARK=${this.home.root}`;
    this.#executed = join(this.home.root, 'executed');
    this.#answers = join(this.home.root, 'answers');
    this.evidence = new Evidence(this.home.ledger, this.#executed, this.#answers);
  }

  async startGateway(): Promise<void> {
    await startGateway({ paths: homePaths(this.home.home), entry: WATCHED_GATEWAY });
  }

  /** Starts a client, as a person would who finds it gone. */
  startClient(): void {
    this.#epoch += 1;
    this.#shims = new Map();
    const { shims, inFlight, pauseMs, stubborn } = this.#options;
    const server = (n: number): string[] => [
      '/usr/bin/env',
      `KILLS_STUBBORN=${n < stubborn ? 1 : 0}`,
      process.execPath,
      SERVER,
    ];
    const command = Array.from({ length: shims }, (_, n) =>
      shimCommand(this.home.home, `server-${n}`, server(n), ['KILLS_MARK', 'KILLS_EXECUTED']),
    );
    const settings = { epoch: `e${this.#epoch}`, shims, inFlight, pauseMs, command, answers: this.#answers };
    const client = fork(CLIENT, [JSON.stringify(settings)], {
      env: { ...process.env, KILLS_MARK: this.home.root, KILLS_EXECUTED: this.#executed },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    // A message to a client that is being killed has nobody to arrive at.
    client.on('error', () => undefined);
    client.on('message', (message: { shim?: number; pid?: number }) => {
      if (message.shim !== undefined && message.pid !== undefined) this.#shims.set(message.shim, message.pid);
    });
    this.#client = client;
  }

  /**
   * Every shim of the present client has carried out a call that was asked for from now on, and nothing is
   * left over.
   */
  async settle(timeoutMs = 120_000): Promise<void> {
    const client = this.#client;
    if (client === undefined) throw new Error('there is no client');
    const settled = new Promise<void>((resolve) => {
      const listen = (message: { settled?: boolean }): void => {
        if (message.settled !== true) return;
        client.off('message', listen);
        resolve();
      };
      client.on('message', listen);
    });
    client.send({ settle: true });
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => reject(new Error(`calls do not go through again after ${timeoutMs} ms`)),
        timeoutMs,
      );
    });
    await Promise.race([settled, late]);
    clearTimeout(timer);
    await eventually('every process of the dead ends', () => this.orphans().length === 0, timeoutMs);
  }

  /** Marked processes that do not descend from the present client. */
  orphans(): number[] {
    const present =
      this.#client?.exitCode === null && this.#client.signalCode === null ? this.#client.pid : undefined;
    return processesWith(this.#mark)
      .map(({ pid }) => pid)
      .filter((pid) => !descends(pid, present));
  }

  /** Ends what the cycle names, when it says; resolves when it is gone and what a user starts is started. */
  async kill(cycle: Cycle): Promise<void> {
    const pids = this.#pidsOf(cycle.target, cycle.point, cycle.shim);
    const ends = this.#pidsOf(cycle.target, 'any', cycle.shim).map((pid) =>
      typeof pid === 'number' ? watchEnd(pid) : () => true,
    );
    if (cycle.point === 'any') await new Promise((resolve) => setTimeout(resolve, cycle.afterMs));
    if (cycle.point === 'recorded') await this.#untilRecorded();
    if (cycle.point === 'any' || cycle.point === 'recorded') for (const pid of pids) endNow(pid);
    else this.#client?.send({ kill: pids, at: cycle.point, shim: cycle.shim });
    await eventually(`${cycle.target} ends`, () => ends.every((hasEnded) => hasEnded()));
    const back = cycle.target.includes('gateway') ? this.#absence() : undefined;
    // Half of the time nobody starts the gateway but the shims, with their next call.
    if (back !== undefined && cycle.afterMs % 2 === 0) await this.startGateway();
    if (cycle.target.includes('client')) this.startClient();
    await back;
  }

  /** Ends the client as its user would, and waits until nothing of it is left. */
  async stop(): Promise<void> {
    const client = this.#client;
    if (client !== undefined && client.exitCode === null && client.signalCode === null) {
      client.send({ stop: true });
      await once(client, 'exit');
    }
    await eventually('every process ends', () => processesWith(this.#mark).length === 0, 30_000);
  }

  /** Ends everything, whatever state it is in. */
  async remove(): Promise<void> {
    this.#client?.kill('SIGKILL');
    for (const { pid } of processesWith(this.#mark)) endNow(pid);
    await this.home.remove();
  }

  async #absence(): Promise<void> {
    const began = performance.now();
    const { socket } = homePaths(this.home.home);
    while (!(await gatewayListens(socket))) {
      if (performance.now() - began > 20_000)
        throw new Error('no gateway takes the place of the one that was killed');
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    this.absences.push(performance.now() - began);
  }

  #pidsOf(target: Target, point: Point, shim: number): (number | 'self')[] {
    const shimPid = this.#shims.get(shim) ?? 0;
    return target.split(' and ').flatMap((one): (number | 'self')[] => {
      switch (one) {
        case 'gateway':
          return gatewayPids(this.home.home);
        case 'shim':
          return [shimPid];
        case 'client':
          return [this.#client?.pid ?? 0];
        default:
          return point === 'executed'
            ? ['self']
            : processesWith(this.#mark)
                .map(({ pid }) => pid)
                .filter((pid) => parentOf(pid) === shimPid);
      }
    });
  }

  /** Watches the ledger until a commit has just been made. */
  async #untilRecorded(): Promise<void> {
    const db = new Database(this.home.ledger, { readonly: true });
    try {
      const newest = db.prepare<[], number>('SELECT max(seq) FROM entry').pluck();
      const before = newest.get() ?? 0;
      const deadline = performance.now() + 5000;
      while ((newest.get() ?? 0) <= before + 1 && performance.now() < deadline) {
        await new Promise((resolve) => {
          setImmediate(resolve);
        });
      }
    } finally {
      db.close();
    }
  }
}

function gatewayPids(home: string): number[] {
  return processesWith(`--home\0${home}`)
    .concat(processesWith(`--home ${home}`))
    .filter(({ command }) => /gateway\S*\.js/.test(command))
    .map(({ pid }) => pid)
    .filter((pid, at, all) => all.indexOf(pid) === at);
}

function endNow(pid: number | 'self'): void {
  if (typeof pid !== 'number' || pid <= 1) return;
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

function statOf(pid: number): string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}

function parentOf(pid: number): number {
  return Number(statOf(pid)[1] ?? 0);
}

function descends(pid: number, from: number | undefined): boolean {
  for (let at = pid; at > 1; at = parentOf(at)) if (at === from) return true;
  return false;
}
