/** The cost of a tool call through a shim and its gateway: processor time of both, and the clock. */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { sequential, throughput } from './measure.mjs';

/** An agent's pace: the caches that a call needs are cold by then. */
export const PACE_MS = 30;
const SETTLE_MS = 200;

/**
 * Measures an open session: `many` calls with 32 in flight, `lone` one after the other and `paced` at an
 * agent's pace, after `warm` calls that do not count. Processor time is that of all threads, in microseconds
 * a call. `afterMs`: so much longer, all that is done goes for the many calls.
 */
export async function callCost(session, gateway, { warm, many, lone, paced, afterMs = 0 }) {
  const of = async (count, work, longer = 0) => {
    await pause(SETTLE_MS);
    const before = [processorUs(gateway), processorUs(session.pid)];
    const result = await work();
    await pause(longer);
    const spent = (pid, since) => (processorUs(pid) - since) / count;
    return { result, gateway: spent(gateway, before[0]), shim: spent(session.pid, before[1]) };
  };
  await throughput(session.call, warm, 32);
  const atOnce = await of(many, () => throughput(session.call, many, 32), afterMs);
  const oneByOne = await of(lone, () => sequential(session.call, lone));
  const atPace = await of(paced, () => spaced(session.call, paced));
  return { atOnce, oneByOne, atPace };
}

async function spaced(call, count) {
  const samples = [];
  for (let n = 0; n < count; n += 1) {
    await pause(PACE_MS);
    samples.push(...(await sequential(call, 1)));
  }
  return samples;
}

/** Processor time of all threads of a process so far, in microseconds. */
export function processorUs(pid) {
  return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => {
    const [ns] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ');
    return sum + Number(ns) / 1000;
  }, 0);
}
