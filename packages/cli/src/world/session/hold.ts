import { spawn, type ChildProcess } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { Duplex } from 'node:stream';
import { takeLock } from '@subluminal/agent';
import { isSublError, SublError } from '@subluminal/core-types';
import { ownIdentity, processIdentity } from '@subluminal/ipc';
import {
  type AskRun,
  type Launch,
  openWorld,
  serveAgain,
  Supervisor,
  type WorldView,
} from '@subluminal/worlds';
import { dataOf, withGateway } from '../../gateway/door.js';
import { ensureGateway } from '../../gateway/start.js';
import { createHome } from '../../home/create.js';
import { escapeText } from '../../output/escape.js';
import type { Call } from '../../program/call.js';
import { holdRun, type HeldRun } from '../../run/hold.js';
import { runIdentity } from '../../run/identity.js';
import { patiently } from '../../run/patience.js';
import { WorldLayer } from '../layer/world-layer.js';
import { Commands } from './commands.js';
import { IdleEnd } from './idle-end.js';
import { CommandJudge } from './judge.js';
import {
  makePlaces,
  openSessions,
  type SessionAbout,
  sessionKey,
  type SessionPlace,
  sessionPlace,
} from './place.js';

const LOCK_MS = 20_000;
/** Without a command for so long, and without a process, a world ends. */
const IDLE_MS = 900_000;
const LOOK_MS = 5000;
/** So long a new gateway is waited for: until then the world has no network. */
const AWAY_MS = 30_000;
const MAX_WORDS = 2000;
/** So long the processes of a world have to end when its line is closed. */
const GONE_MS = 2000;

/** Why a world that waits for programs is over. */
type Over = 'closed' | 'gateway' | 'idle' | 'run' | 'world';

/**
 * Makes a world that waits for programs, in a run of its own, and keeps it until it is closed, has had
 * nothing to do for a quarter of an hour, or its run or its gateway ends. `ready` is called when programs can
 * be brought. Errors: those of `takeLock`, `holdRun` and `openWorld`.
 */
export async function holdWorld(call: Call, view: WorldView, ready: () => void): Promise<void> {
  createHome(call);
  makePlaces(call.home);
  const place = sessionPlace(call.home, view);
  const me = ownIdentity();
  // Two commands at once make one world.
  const done = (): boolean => openSessions(call.home).some((other) => other.place.about === place.about);
  const free = await takeLock({ path: place.lock, me, timeoutMs: LOCK_MS, done });
  if (free === undefined) return ready();
  try {
    await patiently(() => ensureGateway(call, 'automatic'));
    const identity = runIdentity(
      { agent: 'world', client: 'custom', env: undefined },
      'world',
      call.session.environment,
      view.folder,
    );
    const run = await holdRun(
      call.home,
      {
        identity,
        isNamed: false,
        strict: false,
        policy: undefined,
        claimedRunId: undefined,
        meta: { world: view.folder },
      },
      call.session.now,
    );
    try {
      await new HeldWorld(call, { view, place, run, principal: identity.principal }).serve(ready);
    } finally {
      await run.end('SUCCEEDED').catch((error: unknown) => {
        // The gateway ends the run when it sees that this process is gone.
        if (!isSublError(error)) throw error;
      });
    }
  } finally {
    rmSync(place.door, { force: true });
    rmSync(place.about, { force: true });
    free();
  }
}

interface HeldParts {
  readonly view: WorldView;
  readonly place: SessionPlace;
  readonly run: HeldRun;
  readonly principal: string;
}

/** A world that is up, and its commands. */
interface Alive {
  readonly child: ChildProcess;
  readonly supervisor: Supervisor;
  readonly commands: Commands;
}

class HeldWorld {
  readonly #call: Call;
  readonly #parts: HeldParts;
  readonly #judge: CommandJudge;
  #end: (why: Over) => void = () => undefined;

  constructor(call: Call, parts: HeldParts) {
    this.#call = call;
    this.#parts = parts;
    this.#judge = new CommandJudge(call.home, parts.run.ticket, (line) => call.output.note(`sub: ${line}`));
  }

  /** Resolves when the world is over. */
  async serve(ready: () => void): Promise<void> {
    const { ticket } = this.#parts.run;
    const ask: AskRun = (action, payload) =>
      withGateway(this.#call.home, ticket.credential, this.#call.session.now, async (client) =>
        dataOf(await client.request(action, payload)),
      );
    const layer = await WorldLayer.take(this.#call, this.#parts.view, {
      id: sessionKey(this.#parts.view),
      runId: ticket.run_id,
      label: 'world',
    });
    const opened = openWorld(ask, {
      starter: processIdentity(process.pid),
      server: undefined,
      agent: undefined,
      sandboxOff: undefined,
      command: [],
      door: this.#parts.place.door,
      env: { PATH: this.#call.session.environment.all['PATH'] ?? '' },
      // It is full, or there is none: a weaker one waits for nobody.
      envOutside: {},
      view: this.#parts.view,
      layer: layer?.about.place.folder,
      signals: [],
      now: this.#call.session.now(),
    });
    const { id, launch, testimony, reuse, asks, isolated } = await opened.catch(async (error: unknown) => {
      await layer?.over();
      throw error;
    });
    layer?.remember(asks);
    const commands = new Commands(this.#call, {
      ...this.#parts,
      worldId: id,
      judge: this.#judge,
      mayReuse: reuse,
      isolated,
      changes: () => layer?.told() ?? Promise.resolve(undefined),
      over: () => this.#end('closed'),
    });
    const idleEnd = new IdleEnd({ home: this.#call.home, runId: ticket.run_id, commands });
    const child = start(launch);
    const line = child.stdio.at(-1);
    if (!(line instanceof Duplex)) throw new SublError('failed', 'the world has no line');
    const supervisor = new Supervisor(line, {
      ready: () => {
        this.#tell(id);
        ready();
      },
      asked: (program) => void commands.asked(supervisor, program),
      endAsked: (number, asker) => idleEnd.asked(supervisor, number, asker),
      ended: (end) => commands.ended(end),
      gone: (number) => commands.gone(number),
      reached: (limit) => testimony.noticed(limit),
      unguarded: (places) => testimony.guardAgain(child.pid ?? 0, places),
      started: (number, words) => {
        (commands.programsOf(number) ?? testimony.programs).add(words);
      },
      counted: (processes) => {
        if (idleEnd.mayEnd(supervisor, processes)) this.#end('closed');
        else if (processes === 0 && commands.idleMs > IDLE_MS) this.#end('idle');
      },
    });
    try {
      await this.#whileItLives({ child, supervisor, commands }, () => {
        const lost = (why: SublError): void => {
          this.#call.output.note(`sub: ${escapeText(why.message)}`);
          this.#end('gateway');
        };
        const { isConnected } = this.#judge;
        this.#judge.watch(
          serveAgain({
            id,
            inside: processIdentity(child.pid ?? 0),
            ask,
            isConnected,
            isOver: () => isGone(child),
            lost,
          }),
        );
      });
    } finally {
      supervisor.close();
      await gone(child);
      await commands.endAll();
      await this.#judge.close();
      const { told } = await testimony.over();
      const diff = await layer?.over();
      const all = { ...told, ...(diff === undefined ? {} : { fs_diff: diff }) };
      await ask('world.close', { world_id: id, ...all }).catch((error: unknown) => {
        // Its network goes with the run, too.
        if (!isSublError(error)) throw error;
      });
    }
  }

  #whileItLives({ child, supervisor, commands }: Alive, watch: () => void): Promise<Over> {
    return new Promise((resolve, reject) => {
      let seenAt = performance.now();
      const timer = setInterval(() => {
        // Nothing has been brought for long: it ends if it has no process, either.
        if (commands.idleMs > IDLE_MS) supervisor.count();
        if (this.#judge.isConnected) seenAt = performance.now();
        else if (performance.now() - seenAt > AWAY_MS) this.#end('gateway');
      }, LOOK_MS);
      let words = '';
      child.stderr?.setEncoding('utf8').on('data', (text: string) => {
        if (words.length < MAX_WORDS) words += text;
      });
      const close = (): void => this.#end('closed');
      this.#end = (why) => {
        clearInterval(timer);
        for (const signal of CLOSING) process.off(signal, close);
        if (why === 'world' && words !== '') reject(new SublError('failed', words.trim()));
        else resolve(why);
      };
      for (const signal of CLOSING) process.on(signal, close);
      child.once('error', (error) => {
        words += error.message;
        this.#end('world');
      });
      // Not `exit`: its last words may come later.
      child.once('close', () => this.#end('world'));
      watch();
      void this.#judge.over.then(() => this.#end('run'));
    });
  }

  #tell(worldId: string): void {
    const holder = ownIdentity();
    const about: SessionAbout = {
      world_id: worldId,
      run_id: this.#parts.run.ticket.run_id,
      folder: this.#parts.view.folder,
      read: this.#parts.view.read,
      write: this.#parts.view.write,
      since: this.#call.session.now(),
      holder,
    };
    writeFileSync(this.#parts.place.about, JSON.stringify(about), { mode: 0o600 });
  }
}

const CLOSING: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGHUP'];

function isGone({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

/** Resolves when no program of the world can write any more. */
async function gone(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || isGone(child)) return;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const timer = setTimeout(() => child.kill('SIGKILL'), GONE_MS);
  await ended;
  clearTimeout(timer);
}

function start({ command, args, env, files = [], release }: Launch): ChildProcess {
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe', ...files, 'pipe'], env });
  release();
  return child;
}
