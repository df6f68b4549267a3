import {
  isSublError,
  RunOpened,
  SublError,
  type ActionResponse,
  type Credential,
} from '@subluminal/core-types';
import { processIdentity, type GatewayClient } from '@subluminal/ipc';
import { pause, type FaultWorld } from './world.js';

/** What became of one step: `success`, the code of its refusal, or `gateway_unreachable`. */
export interface StepOutcome {
  readonly step: string;
  readonly code: string;
  readonly auditRef: string;
}

interface Step {
  readonly name: string;
  /** Done once, or until it has its place: nothing after it works without it. */
  readonly ask: () => Promise<ActionResponse>;
}

const ANSWER_MS = 20_000;
const RECOVERY_MS = 30_000;

/** Answers that no repetition changes: what was asked is recorded, with what came of it. */
const FINAL: ReadonlySet<string> = new Set(['success', 'in_doubt', 'interrupted']);

/** Nobody answered: the request may have been carried out, and is asked again under the same id. */
const UNHEARD: ReadonlySet<string> = new Set(['gateway_unreachable', 'timed_out']);

/**
 * The same for a run that ended although the answer to that was lost: nobody is let in with its key any more.
 */
const ENDED: ReadonlySet<string> = new Set(['handshake_refused', 'run_ended']);

/**
 * A short run as agents make it: an operator allows a destination and opens a run; three tool calls, each
 * executed only after ALLOW; one service action; the end of the run. Every request has an id of its own,
 * under which it is repeated until it is answered.
 */
export class ShortRun {
  readonly #world: FaultWorld;
  readonly #prefix: string;
  readonly #outcomes: StepOutcome[] = [];
  readonly #done = new Set<string>();
  /** Refusals of each step so far: who was refused asks anew, under another id. */
  readonly #refusals = new Map<string, number>();
  #credential: Credential | undefined;

  constructor(world: FaultWorld, prefix: string) {
    this.#world = world;
    this.#prefix = prefix;
  }

  /** Every answer that came, in order. */
  get outcomes(): readonly StepOutcome[] {
    return this.#outcomes;
  }

  /** The run's connection, for what is asked besides the steps. */
  connection(): Promise<GatewayClient> {
    return this.#run();
  }

  /** Goes through the steps that have no final answer yet, each once; `upTo` is the last one of them. */
  async once(upTo?: string): Promise<void> {
    const steps = this.#steps();
    for (const step of steps) {
      // Nothing follows the end of a run: it waits until the others have been taken.
      if (step.name === 'close' && this.#done.size < steps.length - 1) return;
      if (!this.#done.has(step.name)) await this.#take(step);
      if (step.name === upTo) return;
    }
  }

  /** Whether the newest step got no answer. */
  get isUnheard(): boolean {
    return UNHEARD.has(this.#outcomes.at(-1)?.code ?? '');
  }

  /** The codes that the steps of that name were answered, in order. */
  codes(step: string): string[] {
    return this.#outcomes.flatMap((outcome) => (outcome.step === step ? [outcome.code] : []));
  }

  /** Repeats the steps until each has its final answer: what a fault must not hinder once it is over. */
  async finish(): Promise<void> {
    const until = performance.now() + RECOVERY_MS;
    for (const step of this.#steps()) {
      while (!this.#done.has(step.name)) {
        await this.#take(step);
        if (this.#done.has(step.name)) break;
        const last = this.#outcomes.at(-1);
        if (performance.now() > until) throw new Error(`\`${step.name}\` is still answered ${last?.code}`);
        await pause(25);
      }
    }
  }

  async #take({ name, ask }: Step): Promise<void> {
    const answer = await Promise.race([
      ask().catch((error: unknown) => {
        if (isSublError(error)) return error.code;
        throw error;
      }),
      pause(ANSWER_MS, true).then(() => 'no answer'),
    ]);
    const code = typeof answer === 'string' ? answer : (answer.error?.code ?? answer.status);
    this.#outcomes.push({ step: name, code, auditRef: typeof answer === 'string' ? '' : answer.auditRef });
    if (code === 'no answer') throw new Error(`\`${name}\` gets no answer`);
    // What was to be allowed may not be: an operator who is in doubt allows it again.
    const isFinal = FINAL.has(code) && (name !== 'allow' || code === 'success');
    if (isFinal || (name === 'close' && ENDED.has(code))) this.#done.add(name);
    else if (!UNHEARD.has(code)) this.#refusals.set(name, this.#refused(name) + 1);
  }

  #steps(): Step[] {
    const call = (n: number): Step[] => {
      const idOfCall = (): string =>
        `call-${this.#prefix}-${n}-${String(this.#refused(`begin ${n}`)).padStart(8, '0')}`;
      return [
        {
          name: `begin ${n}`,
          ask: async () => {
            const callId = idOfCall();
            const answer = await (
              await this.#run()
            ).request(
              'tool.call.begin',
              {
                call_id: callId,
                shim_id: 'shim-1',
                server_name: 'files',
                tool_name: 'write_file',
                transport: 'mcp_stdio',
                bytes_in: 40,
                args: { path: `/tmp/${n}` },
              },
              { id: this.#id(`begin ${n}`) },
            );
            if (answer.status === 'success') this.#world.execute(callId);
            return answer;
          },
        },
        {
          name: `end ${n}`,
          ask: async () => {
            const answer = await (
              await this.#run()
            ).request(
              'tool.call.end',
              {
                call_id: idOfCall(),
                status: 'OK',
                latency_ms: 3,
                bytes_out: 12,
                preview: { truncated: false, result_preview: '{"ok":true}' },
              },
              { id: this.#id(`end ${n}`) },
            );
            // A call that never began, or that a restart closed, has no end to be reported.
            return answer.error?.code === 'not_found' ? settled(answer) : answer;
          },
        },
      ];
    };
    const port = this.#world.port;
    return [
      {
        name: 'allow',
        ask: async () =>
          (await this.#world.operator()).request('allow.add', {
            host: '127.0.0.1',
            port,
            allow_private: true,
          }),
      },
      { name: 'open', ask: () => this.#open() },
      ...call(1),
      ...call(2),
      {
        name: 'service',
        ask: async () =>
          (await this.#run()).request(
            'service.api_call',
            {
              service: 'x',
              endpoint: `http://127.0.0.1:${port}/`,
              method: 'POST',
              body: `effect:${this.#id('service')}`,
            },
            { id: this.#id('service') },
          ),
      },
      ...call(3),
      {
        name: 'close',
        ask: async () => {
          const client = await this.#run();
          return client.request('run.end', { status: 'SUCCEEDED' });
        },
      },
    ];
  }

  #id(step: string): string {
    return `${step.replace(' ', '-')}-${this.#prefix}-${this.#refused(step)}`;
  }

  #refused(step: string): number {
    return this.#refusals.get(step) ?? 0;
  }

  async #open(): Promise<ActionResponse> {
    const answer = await (
      await this.#world.operator()
    ).request('run.begin', {
      agent_id: 'agent',
      client: 'custom',
      env: 'dev',
      holder: processIdentity(process.pid),
    });
    if (answer.status === 'success') this.#credential = RunOpened.parse(answer.data).credential;
    return answer;
  }

  /** The run's connection; where the run could not be opened, a step of it has nothing to ask with. */
  async #run(): Promise<GatewayClient> {
    const credential = this.#credential;
    if (credential === undefined) throw new SublError('gateway_unreachable', 'the run was never opened');
    return this.#world.connect(`run-${this.#prefix}`, () => credential);
  }
}

function settled({ requestId, timestamp, auditRef, signature }: ActionResponse): ActionResponse {
  return { requestId, timestamp, auditRef, signature, status: 'success' };
}
