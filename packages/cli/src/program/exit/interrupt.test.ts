import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { interruptible, type Listen } from './interrupt.js';

const heard = new Map<string, (signal: NodeJS.Signals) => void>();
const listen: Listen = (signal, hear) => {
  heard.set(signal, hear);
  return () => void heard.delete(signal);
};

async function untilAborted(signal: AbortSignal): Promise<never> {
  for (;;) {
    signal.throwIfAborted();
    await setImmediate();
  }
}

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('work that %s calls off ends with %d, and nobody listens any more', async (signal, code) => {
  const ended = interruptible(untilAborted, listen);
  heard.get(signal)?.(signal);
  expect(await ended).toEqual({ interrupted: code });
  expect(heard.size).toBe(0);
});

it('gives what the work gives, and throws what it throws', async () => {
  expect(await interruptible(() => Promise.resolve(7), listen)).toEqual({ done: 7 });
  await expect(interruptible(() => Promise.reject(new Error('no')), listen)).rejects.toThrow('no');
  expect(heard.size).toBe(0);
});
