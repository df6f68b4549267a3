import { describe, expect, it } from 'vitest';
import { describeMismatch, isNewer, nextStep, PROTOCOL, versionMisfit } from './protocol.js';

const speaks = (protocol: number, version: string) => ({ protocol, version });

describe('a client and a gateway that do not fit', () => {
  it.each([
    ['operator', 2, 3, 'use the `sub` that the gateway was started with, or a newer one: this one is older'],
    ['operator', 3, 2, 'run `sub up --restart`: the gateway is older than this `sub`'],
    ['agent', 2, 3, 'restart the client: it is older than the gateway'],
    ['agent', 3, 2, 'a person has to restart the gateway: it is older than the client'],
  ] as const)(
    'of the %s, of protocols %d and %d, say both and what to restart',
    (side, client, gateway, help) => {
      expect(describeMismatch(side, speaks(client, '0.2.0'), speaks(gateway, '0.3.0'))).toEqual({
        message:
          `this client is version 0.2.0 and speaks protocol ${client}, ` +
          `the gateway is version 0.3.0 and speaks protocol ${gateway}`,
        help,
      });
    },
  );

  it.each([
    ['0.1.0', '0.1.0', undefined],
    ['0.1.0', '0.0.9', 'ahead'],
    ['0.9.0', '0.10.0', 'behind'],
    ['0.1.0', 'strange', 'ahead'],
  ] as const)('of the same protocol, %s at a gateway of %s, work together', (client, gateway, misfit) => {
    expect(versionMisfit(client, gateway)).toBe(misfit);
    if (misfit !== undefined) expect(nextStep('operator', misfit)).not.toBe('');
  });

  it('name no verb to an agent', () => {
    for (const misfit of ['older', 'newer', 'silent'] as const) {
      expect(nextStep('agent', misfit)).not.toContain('`');
      expect(nextStep('agent', misfit)).toMatch(/restart/);
    }
  });
});

it('a version with a larger number is newer, whatever its length', () => {
  expect([isNewer('1.0.0', '0.99.99'), isNewer('0.1.0', '0.1.0'), isNewer('0.1.9', '0.1.10')]).toEqual([
    true,
    false,
    false,
  ]);
  expect(PROTOCOL).toBe(3);
});
