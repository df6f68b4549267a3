import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import {
  choice,
  declare,
  flag,
  moment,
  required,
  requiredStrings,
  string,
  strings,
  unless,
  valuesOf,
  whole,
  type Flags,
  type Values,
} from './flags.js';

const NOW = Date.parse('2026-01-31T12:00:00Z');

function read<F extends Flags>(flags: F, ...words: readonly string[]): Values<F> {
  const command = new Command('verb').exitOverride().configureOutput({ writeErr: () => undefined });
  declare(command, flags);
  command.parse([...words], { from: 'user' });
  return valuesOf(flags, command, NOW);
}

describe('the flags of a verb', () => {
  it('are written as their keys, with a letter where they have one', () => {
    const flags = { failOn: { ...string('<what>', 'd'), short: 'o' }, dryRun: flag('d') };
    expect(read(flags, '--fail-on', 'any', '--dry-run')).toEqual({ failOn: 'any', dryRun: true });
    expect(read(flags, '-o', 'any')).toEqual({ failOn: 'any', dryRun: false });
  });

  it('have no value, or an empty list, where they were not given', () => {
    expect(
      read({
        a: string('<a>', 'd'),
        b: strings('<b>', 'd'),
        c: whole('<c>', 'd', 1),
        d: choice('<d>', 'd', ['x']),
        e: moment('<e>', 'd'),
        f: unless('d'),
      }),
    ).toEqual({ a: undefined, b: [], c: undefined, d: undefined, e: undefined, f: true });
  });

  it('are read as the type that they were declared with', () => {
    const flags = {
      limit: whole('<n>', 'd', 1, 9),
      to: choice('<to>', 'd', ['x', 'y']),
      since: moment('<t>', 'd'),
    };
    expect(read(flags, '--limit', '9', '--to', 'y', '--since', '1h')).toEqual({
      limit: 9,
      to: 'y',
      since: NOW - 3_600_000,
    });
    expect(() => read(flags, '--limit', '10')).toThrow('`10` is not a whole number from 1 to 9');
    expect(() => read(flags, '--limit', '-1')).toThrow('`-1` is not a whole number');
    expect(() => read(flags, '--to', 'z')).toThrow('`z` is not one of `x`, `y`');
    expect(() => read(flags, '--since', 'soon')).toThrow('`soon` is not a time');
  });

  it('gather what is repeated, also where one must be given', () => {
    expect(read({ log: requiredStrings('<v>', 'd') }, '--log', 'a', '--log', 'b')).toEqual({
      log: ['a', 'b'],
    });
    expect(() => read({ log: requiredStrings('<v>', 'd') })).toThrow('--log');
    expect(() => read({ key: required('<v>', 'd') })).toThrow('--key');
  });

  it('are switched off by their `--no-`, and on by themselves', () => {
    const both = { follow: unless('off', { description: 'on', short: 'f' }) };
    expect([read(both), read(both, '-f'), read(both, '--no-follow')]).toEqual([
      { follow: true },
      { follow: true },
      { follow: false },
    ]);
    expect(() => read({ redact: unless('off') }, '--redact')).toThrow('unknown option');
  });
});
