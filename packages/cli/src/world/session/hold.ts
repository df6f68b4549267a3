import { spawn, type ChildProcess } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { Duplex } from 'node:stream';
import { takeLock } from '@subluminal/agent';
import { canonicalize, isSublError, SublError } from '@subluminal/core-types';
import { processIdentity } from '@subluminal/ipc';
import {
  type AskedProgram,
  type Launch,
  openWorld,
  type ProgramEnd,
  Supervisor,
  worldVariables,
  type WorldView,
} from '@subluminal/worlds';
import { dataOf, withGateway } from '../../gateway/door.js';
import { ensureGateway } from '../../gateway/start.js';
import { createHome } from '../../home/create.js';
import type { Call } from '../../program/call.js';
import { holdRun, type HeldRun } from '../../run/hold.js';
import { identityVariables, runIdentity } from '../../run/identity.js';
import { patiently } from '../../run/patience.js';
import { exitOfStatus } from './exit-of-status.js';
import { CommandJudge } from './judge.js';
import { NOT_REUSED } from './not-reused.js';
import { makePlaces, type SessionAbout, type SessionPlace, sessionPlace } from './place.js';

const LOCK_MS = 20_000;
/** Without a command for so long, and without a process, a world ends. */
const IDLE_MS = 900_000;
const LOOK_MS = 30_000;
const MAX_WORDS = 2000;
const FAREWELL_MS = 100;

/** Why a world that waits for programs is over. */
type Over = 'closed' | 'idle' | 'world' | 'run';

/**
 * Makes a world that waits for programs, in a run of its own, and keeps it until it is closed, has nothing to
 * do for a quarter of an hour, or its run or its gateway ends. `ready` is called when programs can be brought,
 * also where another process has such a world already. Errors: those of `holdRun` and `openWorld`.
 */
export async function holdWorld(call: Call, view: WorldView, ready: () => void): Promise<void> {
  createHome(call);
  makePlaces(call.home);
  const place = sessionPlace(call.home, view);
  const me = processIdentity(process.pid);
  if (me === undefined) throw new SublError('failed', 'the system does not know this process');
  const free = await takeLock({ path: place.lock, me, timeoutMs: LOCK_MS });
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
      { identity, strict: false, policy: undefined, claimedRunId: undefined, meta: { world: view.folder } },
      call.session.now,
    );
    try {
      await new HeldWorld(call, view, place, run).serve(ready);
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

/** A program that runs, or whose answer is waited for. */
interface Running {
  readonly spanId: string;
  readonly startedAt: number;
}

class HeldWorld {
  readonly #call: Call;
  readonly #view: WorldView;
  readonly #place: SessionPlace;
  readonly #run: HeldRun;
  readonly #judge: CommandJudge;
  readonly #running = new Map<number, Running>();
  /** Those whose answer comes, and that nobody waits for any more. */
  readonly #gone = new Set<number>();
  #usedAt = performance.now();
  /** The policy lets more than one command use the world. */
  #mayReuse = true;
  #isUsed = false;
  #end: (why: Over) => void = () => undefined;

  constructor(call: Call, view: WorldView, place: SessionPlace, run: HeldRun) {
    this.#call = call;
    this.#view = view;
    this.#place = place;
    this.#run = run;
    this.#judge = new CommandJudge(call.home, run.ticket, (line) => call.output.note(`sub: ${line}`));
  }

  /** Resolves when the world is over. */
  async serve(ready: () => void): Promise<void> {
    const { ticket } = this.#run;
    const { id, launch, reuse } = await openWorld(
      (action, payload) =>
        withGateway(this.#call.home, ticket.credential, this.#call.session.now, async (client) =>
          dataOf(await client.request(action, payload)),
        ),
      {
        server: undefined,
        command: [],
        door: this.#place.door,
        env: { PATH: this.#call.session.environment.all['PATH'] ?? '' },
        view: this.#view,
        signals: [],
      },
    );
    this.#mayReuse = reuse;
    const child = start(launch);
    const line = child.stdio.at(-1);
    if (!(line instanceof Duplex)) throw new SublError('failed', 'the world has no line');
    const supervisor = new Supervisor(line, {
      ready: () => {
        this.#tell(id);
        ready();
      },
      asked: (program) => void this.#asked(id, supervisor, program),
      ended: (end) => this.#ended(end),
      gone: (number) => {
        if (!this.#running.has(number)) this.#gone.add(number);
      },
    });
    try {
      await this.#whileItLives(child);
    } finally {
      supervisor.close();
      for (const number of this.#running.keys()) this.#ended({ id: number, status: 9, ...NO_USAGE });
      await this.#judge.close();
    }
  }

  #whileItLives(child: ChildProcess): Promise<Over> {
    return new Promise((resolve, reject) => {
      const timer = setInterval(() => {
        const isIdle = this.#running.size === 0 && performance.now() - this.#usedAt > IDLE_MS;
        if (isIdle) this.#end('idle');
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
      // Not `exit`: its last words may come later.
      child.once('close', () => this.#end('world'));
      void this.#judge.over.then(() => this.#end('run'));
    });
  }

  async #asked(worldId: string, supervisor: Supervisor, program: AskedProgram): Promise<void> {
    const { id, command, folder } = program;
    const startedAt = performance.now();
    this.#usedAt = startedAt;
    if (this.#isUsed && !this.#mayReuse) {
      supervisor.refuse(id, NOT_REUSED);
      return;
    }
    this.#isUsed = true;
    const verdict = await this.#judge.judge({ command, folder });
    if (!verdict.isAllowed) {
      this.#isUsed = false;
      supervisor.refuse(id, verdict.reason.replaceAll('\n', ' '));
      return;
    }
    const { spanId } = verdict;
    if (this.#gone.delete(id)) {
      this.#isUsed = false;
      this.#judge.ended(spanId, { exit: 129, latencyMs: 0 });
      return;
    }
    this.#running.set(id, { spanId, startedAt });
    const { ticket } = this.#run;
    const labels = identityVariables(ticket.run_id, {
      agentId: ticket.agent_id,
      client: ticket.client,
      env: ticket.env,
      principal: '',
    });
    const env = { ...program.env, ...labels, ...worldVariables(this.#view) };
    supervisor.begin(canonicalize({ span_id: spanId, world_id: worldId }), { ...program, env });
  }

  #ended({ id, status }: ProgramEnd): void {
    const running = this.#running.get(id);
    if (running === undefined) return;
    this.#running.delete(id);
    this.#usedAt = performance.now();
    this.#judge.ended(running.spanId, {
      exit: exitOfStatus(status),
      latencyMs: performance.now() - running.startedAt,
    });
    // Whoever waits for the command hears its end from the world itself.
    if (!this.#mayReuse) setTimeout(() => this.#end('closed'), FAREWELL_MS);
  }

  #tell(worldId: string): void {
    const holder = processIdentity(process.pid);
    if (holder === undefined) throw new SublError('failed', 'the system does not know this process');
    const about: SessionAbout = {
      world_id: worldId,
      run_id: this.#run.ticket.run_id,
      folder: this.#view.folder,
      read: this.#view.read,
      write: this.#view.write,
      since: this.#call.session.now(),
      holder,
    };
    writeFileSync(this.#place.about, JSON.stringify(about), { mode: 0o600 });
  }
}

const NO_USAGE = { userMs: 0, systemMs: 0, kilobytes: 0 };
const CLOSING: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGHUP'];

function start({ command, args, env, files, release }: Launch): ChildProcess {
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe', ...files, 'pipe'], env });
  release();
  return child;
}
