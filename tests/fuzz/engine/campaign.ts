import { MOST_MS, processorClock, whyNoWatch } from '../../support/loop-watch.mjs';
import { Coverage } from './coverage.js';
import { minimise, mutate } from './mutate.js';
import { Random } from './random.js';
import type { Target } from './target.js';

/** How long a campaign is. */
export interface CampaignOptions {
  readonly seed: number;
  /** Inputs whose coverage is looked at, so that the interesting ones are kept and mutated further. */
  readonly guided: number;
  /** Inputs at full speed, mutated from what was kept. */
  readonly blind: number;
}

export interface CampaignReport {
  readonly target: string;
  readonly executions: number;
  /** Inputs that the product took: without any, its refusals would prove nothing. */
  readonly taken: number;
  readonly perSecond: number;
  readonly corpus: readonly Buffer[];
  readonly blocks: number;
  readonly slowestMs: number;
}

const BATCH = 256;
/** An input that takes this long hangs whoever waits: no honest one comes near. */
const HANG_MS = 10_000;

/**
 * Runs the seeds, then mutations of them. Throws at the first broken promise, with the shortest input that
 * breaks it.
 */
export async function campaign(target: Target, options: CampaignOptions): Promise<CampaignReport> {
  const random = new Random(options.seed);
  const corpus = [...target.seeds];
  const started = performance.now();
  let executions = 0;
  let taken = 0;
  let slowestMs = 0;

  const run = async (input: Buffer): Promise<void> => {
    const begun = performance.now();
    executions += 1;
    const turn = random.below(0xffffffff);
    try {
      const running = target.run(input, new Random(turn));
      if (typeof running === 'boolean' ? running : await running) taken += 1;
    } catch (error) {
      throw await failure(target, input, turn, error);
    }
    const took = performance.now() - begun;
    if (took > slowestMs) slowestMs = took;
    if (took > MOST_MS && whyNoWatch() === undefined) await assertShort(target, input, turn);
    if (took > HANG_MS) throw new Error(`${target.name} took ${Math.round(took)} ms for ${show(input)}`);
  };
  const next = (): Buffer => {
    const { words, maxBytes } = target;
    return mutate(random, random.pick(corpus), { others: corpus, words, maxBytes });
  };

  const coverage = new Coverage();
  try {
    for (const seed of target.seeds) await run(seed);
    coverage.look();
    for (let left = options.guided; left > 0; left -= BATCH) {
      let batch = Array.from({ length: Math.min(BATCH, left) }, next);
      for (const input of batch) await run(input);
      if (coverage.look(false) === 0) continue;
      // Somewhere in the batch is one that went further: halves are run again until it is found.
      while (batch.length > 1) {
        const half = batch.slice(0, batch.length >> 1);
        for (const input of half) await run(input);
        batch = coverage.look(false) > 0 ? half : batch.slice(batch.length >> 1);
      }
      for (const input of batch) await run(input);
      coverage.look();
      corpus.push(...batch.map((input) => Buffer.from(input)));
    }
  } finally {
    coverage.stop();
  }
  for (let left = options.blind; left > 0; left -= 1) {
    await run(next());
    // Targets that are plain functions would keep timers and signals waiting otherwise.
    if (left % 4096 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  const seconds = (performance.now() - started) / 1000;
  const perSecond = Math.round(executions / seconds);
  return { target: target.name, executions, taken, perSecond, corpus, blocks: coverage.blocks, slowestMs };
}

/**
 * Throws where an input takes the processor for longer than a turn of the event loop may. It must do so each
 * time: once may come from others on the machine.
 */
async function assertShort(target: Target, input: Buffer, turn: number): Promise<void> {
  const clock = processorClock();
  try {
    let least = Number.POSITIVE_INFINITY;
    for (let tries = 3; tries > 0 && least > MOST_MS; tries -= 1) {
      const before = clock.ms();
      await target.run(input, new Random(turn));
      least = Math.min(least, clock.ms() - before);
    }
    if (least > MOST_MS)
      throw new Error(`${target.name} takes the processor for ${Math.round(least)} ms: ${show(input)}`);
  } finally {
    clock.close();
  }
}

/** The error of a broken promise, with the shortest input that breaks it in the same way. */
async function failure(target: Target, input: Buffer, turn: number, error: unknown): Promise<Error> {
  const message = messageOf(error);
  const short = await minimise(input, async (shorter) => {
    try {
      await target.run(shorter, new Random(turn));
      return false;
    } catch (other) {
      return messageOf(other) === message;
    }
  });
  const text = `${target.name}: ${message}\n  input (base64): ${short.toString('base64')}\n  as text: ${show(short)}`;
  return new Error(text, { cause: error });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

function show(input: Buffer): string {
  return JSON.stringify(input.toString('latin1').slice(0, 2000));
}
