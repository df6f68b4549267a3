import { canonicalize, type FsDiff } from '@subluminal/core-types';
import {
  type AskedProgram,
  type ProgramEnd,
  StartedPrograms,
  type Supervisor,
  worldVariables,
  type WorldView,
} from '@subluminal/worlds';
import type { Call } from '../../program/call.js';
import type { HeldRun } from '../../run/hold.js';
import { identityVariables } from '../../run/identity.js';
import { askerProblem } from './asker.js';
import { exitOfStatus } from './exit-of-status.js';
import { isolationHere } from './isolation.js';
import type { CommandJudge } from './judge.js';
import { ISOLATED, NOT_REUSED } from './not-reused.js';

const FAREWELL_MS = 100;
/** The exit code of a command that nobody waits for: that of a hang-up. */
const GONE = 129;
const KILLED = 9;
const NO_USAGE = { userMs: 0, systemMs: 0, kilobytes: 0 };

/** A world that is open, and all that its commands need. */
export interface CommandsParts {
  readonly worldId: string;
  readonly view: WorldView;
  readonly run: HeldRun;
  readonly principal: string;
  readonly judge: CommandJudge;
  /** The policy lets more than one command use the world. */
  readonly mayReuse: boolean;
  /** Patterns of commands that do not run here. */
  readonly isolated: readonly string[];
  /** The changes of the world's layer since it was last asked. */
  readonly changes: () => Promise<FsDiff | undefined>;
  /** No other command may come. */
  readonly over: () => void;
}

/** A program that runs, or whose answer is waited for. */
interface Running {
  readonly spanId: string;
  readonly startedAt: number;
  readonly programs: StartedPrograms;
}

/** The commands that are brought to one world: each is judged, begun, and told of at its end. */
export class Commands {
  readonly #call: Call;
  readonly #parts: CommandsParts;
  readonly #running = new Map<number, Running>();
  /** Those whose answer comes; true if nobody waits for it any more. */
  readonly #asking = new Map<number, boolean>();
  #usedAt = performance.now();
  #isUsed = false;
  /** The ends of commands are told one after the other. */
  #telling: Promise<void> = Promise.resolve();

  constructor(call: Call, parts: CommandsParts) {
    this.#call = call;
    this.#parts = parts;
  }

  /** Milliseconds since the last command; 0 while one runs or is asked about. */
  get idleMs(): number {
    return this.isQuiet ? performance.now() - this.#usedAt : 0;
  }

  /** No command runs, or is asked about. */
  get isQuiet(): boolean {
    return this.#running.size + this.#asking.size === 0;
  }

  /** The programs that a command has started; undefined: it does not run. */
  programsOf(number: number): StartedPrograms | undefined {
    return this.#running.get(number)?.programs;
  }

  /** Nobody waits for the answer to a command any more. */
  gone(number: number): void {
    if (this.#asking.has(number)) this.#asking.set(number, true);
  }

  /** Has a command begin, or refuses it. */
  async asked(supervisor: Supervisor, program: AskedProgram): Promise<void> {
    const { id, command, folder } = program;
    const { isolated, judge, mayReuse, run } = this.#parts;
    const startedAt = performance.now();
    this.#usedAt = startedAt;
    if (this.#isUsed && !mayReuse) {
      supervisor.refuse(id, NOT_REUSED);
      return;
    }
    const problem = askerProblem(this.#call.home, program.asker, run.ticket.run_id);
    if (problem !== undefined) {
      supervisor.refuse(id, problem);
      return;
    }
    this.#isUsed = true;
    this.#asking.set(id, false);
    // A command that cannot be told apart does not touch the layer of the others.
    const isIsolated = await isolationHere(isolated, command, folder).then(
      (why) => why !== undefined,
      () => true,
    );
    if (isIsolated) {
      this.#asking.delete(id);
      this.#isUsed = false;
      supervisor.refuse(id, ISOLATED);
      return;
    }
    const verdict = await judge.judge({ command, folder });
    const isGone = this.#asking.get(id) === true;
    this.#asking.delete(id);
    if (!verdict.isAllowed) {
      this.#isUsed = false;
      supervisor.refuse(id, verdict.reason.replaceAll('\n', ' '));
      return;
    }
    const { spanId } = verdict;
    const programs = new StartedPrograms();
    if (isGone) {
      this.#isUsed = false;
      const nothing = { programs: programs.told, diff: undefined, isolated: undefined };
      judge.ended(spanId, { exit: GONE, latencyMs: 0, ...nothing });
      return;
    }
    this.#running.set(id, { spanId, startedAt, programs });
    this.#begin(supervisor, program, spanId);
  }

  /** Tells of the end of a command. */
  ended({ id, status }: ProgramEnd): void {
    const running = this.#running.get(id);
    if (running === undefined) return;
    const { judge, changes, mayReuse, over } = this.#parts;
    this.#running.delete(id);
    this.#usedAt = performance.now();
    const latencyMs = performance.now() - running.startedAt;
    this.#telling = this.#telling.then(async () => {
      const diff = await changes();
      const { spanId, programs } = running;
      const told = { programs: programs.told, diff, isolated: undefined };
      judge.ended(spanId, { exit: exitOfStatus(status), latencyMs, ...told });
    });
    // The world itself tells its end to whoever waits for the command.
    if (!mayReuse) setTimeout(over, FAREWELL_MS);
  }

  /** The world is gone, and with it all commands. Resolves when the ends of all are told. */
  async endAll(): Promise<void> {
    for (const id of this.#running.keys()) this.ended({ id, status: KILLED, ...NO_USAGE });
    await this.#telling;
  }

  #begin(supervisor: Supervisor, program: AskedProgram, spanId: string): void {
    const { principal, run, view, worldId } = this.#parts;
    const { agent_id: agentId, client, env: tier, run_id: runId } = run.ticket;
    const labels = identityVariables(runId, { agentId, client, env: tier, principal });
    const env = { ...program.env, ...labels, ...worldVariables(view) };
    supervisor.begin(canonicalize({ span_id: spanId, world_id: worldId }), { ...program, env });
  }
}
