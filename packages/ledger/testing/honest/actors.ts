import type { AppendGroup, AppendResult, EntryInput, Ledger } from '../../src/index.js';
import { isSublError } from '@subluminal/core-types';
import type { Chance } from './chance.js';

interface Open {
  readonly run: string;
  readonly seq: number;
  readonly kind: 'call' | 'action' | 'upstream';
}

/** Refusals that an honest gateway meets and goes on from. */
const HONEST = ['run_ended', 'overloaded'] as const;

const TEXTS = [
  '',
  'plain',
  'ünï ☃ 𝄞',
  '"quoted" \\ back',
  'a\uFFFDb',
  '\u0000\u001e\u001f',
  'x'.repeat(5000),
] as const;

/**
 * A gateway's work on its ledger: runs (some inside others), calls, refusals, hints, actions, grants,
 * upstreams.
 */
export class Actors {
  readonly #chance: Chance;
  readonly #now: () => number;
  readonly #uniqueIds: boolean;
  #runs: string[] = [];
  #open: Open[] = [];
  #grants: number[] = [];
  #count = 0;

  /**
   * `uniqueIds`: no request id is used twice, for ledgers that are held against one file, where ids are
   * unique for ever.
   */
  constructor(chance: Chance, now: () => number, { uniqueIds = false } = {}) {
    this.#chance = chance;
    this.#now = now;
    this.#uniqueIds = uniqueIds;
  }

  /** A few things at once, as many clients at a time do them. */
  async act(ledger: Ledger): Promise<void> {
    const steps = Array.from({ length: 1 + this.#chance.below(12) }, () => this.#step(ledger));
    await Promise.all(steps);
  }

  /** After a crash: what nobody has an acknowledgement of is forgotten, all behind entry `tip`. */
  forget(tip: number): void {
    this.#open = [];
    this.#grants = this.#grants.filter((seq) => seq <= tip);
    this.#runs = [];
  }

  async #step(ledger: Ledger): Promise<void> {
    const run = this.#runs[this.#chance.below(Math.max(1, this.#runs.length))];
    if (run === undefined || (this.#runs.length < 5 && this.#chance.once(6))) return this.#start(ledger, run);
    switch (this.#chance.below(14)) {
      case 0:
        return this.#endRun(ledger, run);
      case 1:
        return this.#ask(ledger, {
          entries: [
            this.#call(run, 'tool_call_start'),
            this.#call(run, 'tool_call_decision', 'BLOCK'),
            this.#call(run, 'tool_call_end', 'ERROR'),
          ],
          seen: this.#id(run),
        });
      case 2:
        return this.#ask(ledger, { entries: [this.#entry('hint_issued', run)] });
      case 3:
        return this.#act(ledger, run);
      case 4:
        return this.#ask(ledger, {
          entries: [this.#entry('action_rejected', run, 'rate_limited')],
          seen: this.#id(run),
        });
      case 5:
        return this.#grant(ledger);
      case 6:
        return this.#ask(ledger, {
          entries: [this.#entry('anomaly', run), this.#entry('message_dropped', run)],
        });
      case 7:
        return this.#begin(ledger, run, 'upstream');
      case 8:
        return this.#ask(ledger, {
          entries: Array.from({ length: 1 + this.#chance.below(40) }, () =>
            this.#entry('shim_health', this.#chance.once(2) ? run : null),
          ),
        });
      case 9:
      case 10:
        return this.#end(ledger);
      default:
        return this.#begin(ledger, run, 'call');
    }
  }

  async #start(ledger: Ledger, parent: string | undefined): Promise<void> {
    const run = `run-${(this.#count += 1)}-${this.#chance.below(1e6)}`;
    const result = await this.#append(ledger, {
      entries: [
        {
          ...this.#entry('run_start', run),
          data: { agent_id: 'a', ...(parent === undefined ? {} : { parent_run_id: parent }) },
        },
      ],
    });
    if (result !== undefined) this.#runs.push(run);
  }

  async #endRun(ledger: Ledger, run: string): Promise<void> {
    this.#runs = this.#runs.filter((one) => one !== run);
    this.#open = this.#open.filter((one) => one.run !== run);
    await this.#ask(ledger, {
      entries: [this.#entry('run_end', run, this.#chance.pick(['SUCCEEDED', 'CANCELLED', 'TERMINATED']))],
    });
    if (this.#chance.once(2)) await ledger.flushHead('run_end');
  }

  async #act(ledger: Ledger, run: string): Promise<void> {
    const grant = this.#chance.once(2) ? this.#grants.pop() : undefined;
    const entry = {
      ...this.#entry('action_pending', run, 'pending'),
      tool: 'service.api_call',
      ref: grant ?? null,
    };
    const result = await this.#append(ledger, { entries: [entry], seen: this.#id(run) });
    const seq = result?.[0];
    if (seq !== undefined) this.#open.push({ run, seq, kind: 'action' });
  }

  async #grant(ledger: Ledger): Promise<void> {
    const type = this.#chance.once(4) ? 'approval_denied' : 'approval_granted';
    const result = await this.#append(ledger, { entries: [this.#entry(type, null)] });
    if (type === 'approval_granted' && result?.[0] !== undefined) this.#grants.push(result[0]);
  }

  async #begin(ledger: Ledger, run: string, kind: 'call' | 'upstream'): Promise<void> {
    const entries =
      kind === 'call'
        ? [this.#call(run, 'tool_call_start'), this.#call(run, 'tool_call_decision', 'ALLOW')]
        : [this.#entry('upstream_begin', run)];
    const result = await this.#append(ledger, {
      entries,
      ...(kind === 'call' ? { seen: this.#id(run) } : {}),
    });
    const seq = result?.at(-1);
    if (seq !== undefined) this.#open.push({ run, seq, kind });
  }

  async #end(ledger: Ledger): Promise<void> {
    const [one] = this.#open.splice(this.#chance.below(Math.max(1, this.#open.length)), 1);
    if (one === undefined) return;
    const entry =
      one.kind === 'call'
        ? this.#call(one.run, 'tool_call_end', this.#chance.pick(['OK', 'ERROR', 'TIMEOUT', 'CANCELLED']))
        : one.kind === 'action'
          ? {
              ...this.#entry('action_result', one.run, this.#chance.pick(['success', 'error'])),
              tool: 'service.api_call',
            }
          : this.#entry('upstream_end', one.run);
    await this.#ask(ledger, { entries: [{ ...entry, ref: one.seq }] });
  }

  async #ask(ledger: Ledger, group: AppendGroup): Promise<void> {
    await this.#append(ledger, group);
  }

  async #append(ledger: Ledger, group: AppendGroup): Promise<number[] | undefined> {
    try {
      const result: AppendResult = await ledger.append(group);
      return result.ok ? result.entries.map(({ seq }) => seq) : undefined;
    } catch (error) {
      if (isSublError(error, ...HONEST)) return undefined;
      throw error;
    }
  }

  #id(run: string): { runId: string | null; id: string } {
    // Now and then an id that was used before: refused, unless that was more than one file ago.
    const id = this.#chance.once(20) && !this.#uniqueIds ? 1 : (this.#count += 1);
    return { runId: run, id: `request-${id}` };
  }

  #call(run: string, type: EntryInput['type'], code: EntryInput['code'] = null): EntryInput {
    return { ...this.#entry(type, run, code), tool: ['files', this.#chance.pick(['read', 'write', 'ünï'])] };
  }

  #entry(type: EntryInput['type'], runId: string | null, code: EntryInput['code'] = null): EntryInput {
    const text = this.#chance.pick(TEXTS);
    const blobs = this.#chance.once(3)
      ? { 'call.preview.args_preview': this.#chance.pick(TEXTS) }
      : undefined;
    return {
      type,
      ts: Math.max(0, this.#now()),
      runId,
      code,
      data: { text, n: this.#chance.below(1e9) },
      ...(blobs === undefined ? {} : { blobs }),
    };
  }
}
