import { basename, dirname } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { nodeAround, unconfinedLine } from './confined.js';

test.each([
  ['v20.20.2', '`fetch`, `http` and `https`'],
  ['v22.20.0', '`fetch`, `http` and `https`'],
  ['v22.21.0', undefined],
  ['v23.11.0', '`fetch`, `http` and `https`'],
  ['v24.4.1', '`http` and `https`'],
  ['v24.5.0', undefined],
  ['v25.0.0', undefined],
  ['v26.1.0', undefined],
])('Node %s goes around the proxy with %s', (version, around) => {
  expect(nodeAround(version)).toBe(around);
});

describe('the line about what is not confined', () => {
  const execPath = process.execPath;
  const path = dirname(execPath);
  const line = (command: string, mode: 'observe' | 'enforce', version: string) =>
    unconfinedLine(command, path, { execPath, version }, { port: 4018, mode });

  it.each([execPath, basename(execPath)])('names an old Node that is run as `%s`', (command) => {
    expect(line(command, 'observe', 'v20.20.2')).toBe(
      '`fetch`, `http` and `https` of Node 20.20.2 heed no proxy: what they connect to is not recorded (22.21 and 24.5 heed it)',
    );
    expect(line(command, 'enforce', 'v20.20.2')).toContain('is neither refused nor recorded');
  });

  it('says wherever the allowlist is enforced that other programs are not confined, and nothing elsewhere', () => {
    const others =
      'the allowlist binds programs that heed the proxy; one that opens its own connections is not confined';
    expect(line('curl', 'enforce', 'v20.20.2')).toBe(others);
    expect(line(execPath, 'enforce', 'v24.5.0')).toBe(others);
    expect(line('/no/such/program', 'enforce', 'v20.20.2')).toBe(others);
    expect(line('curl', 'observe', 'v20.20.2')).toBeUndefined();
    expect(unconfinedLine('curl', path, { execPath, version: 'v20.20.2' }, undefined)).toBeUndefined();
  });
});
