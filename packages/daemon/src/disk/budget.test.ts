import { expect, it } from 'vitest';
import { BudgetGate, createLogger } from '@subluminal/gateway';
import { Budget } from './budget.js';

it('closes the gate also when no previews can be let go', async () => {
  const gate = new BudgetGate();
  let bytes = 0;
  const budget = new Budget({
    maxBytes: () => 100,
    measure: () => ({ ledger: bytes, log: 0, segments: 0 }),
    gate,
    expire: () => Promise.reject(new Error('the disk is broken')),
    clock: () => 1,
    log: createLogger('error', []),
  });
  expect(gate.full).toBeUndefined();
  bytes = 100;
  await expect(budget.look()).rejects.toThrow('the disk is broken');
  expect(gate.full).toBeDefined();
  expect(budget.state.level).toBe('full');
});
