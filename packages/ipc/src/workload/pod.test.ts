import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Workload } from '@subluminal/core-types';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { labelsIn, podContext } from './pod.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'subl-pod-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const of = (env: Record<string, string>) => {
  const files = { namespace: join(folder, 'namespace'), labels: join(folder, 'labels') };
  return podContext((name) => env[name] || undefined, files);
};

describe('a pod is known', () => {
  it('by the variables that a manifest fills from its fields, and its labels', () => {
    writeFileSync(join(folder, 'labels'), 'app="fixer"\napp.kubernetes.io/part-of="agents"\nempty=""\n');
    writeFileSync(join(folder, 'namespace'), 'of-the-file');
    const env = { POD_NAME: 'fixer-0', POD_NAMESPACE: 'agents', POD_SERVICE_ACCOUNT: 'fixer' };
    expect(of(env)).toEqual({
      namespace: 'agents',
      service_account: 'fixer',
      pod: 'fixer-0',
      labels: { app: 'fixer', 'app.kubernetes.io/part-of': 'agents', empty: '' },
    });
  });

  it('by what every pod has: its host name, and the folder of its service account', () => {
    writeFileSync(join(folder, 'namespace'), 'agents\n');
    expect(of({ KUBERNETES_SERVICE_HOST: '10.0.0.1', HOSTNAME: 'fixer-1' })).toEqual({
      namespace: 'agents',
      pod: 'fixer-1',
    });
  });

  it('not elsewhere, whatever files there are', () => {
    writeFileSync(join(folder, 'namespace'), 'agents');
    expect(of({ HOSTNAME: 'desk' })).toBeUndefined();
  });
});

it('hostile labels are left out, and what is left fits a run', () => {
  const many = Array.from({ length: 200 }, (_, at) => `l${at}="v"`).join('\n');
  writeFileSync(
    join(folder, 'labels'),
    [
      'ok="yes"',
      '__proto__="x"',
      'esc="a\\nb"',
      'ctl="a\u0001b"',
      'key\u0000="x"',
      `long="${'x'.repeat(64)}"`,
      `${'k'.repeat(64)}="x"`,
      'token="ghp_0123456789abcdefghijklmnopqrstuvwxyz"',
      'no value',
      'two="a" three="b"',
      many,
      'x'.repeat(1_048_576),
    ].join('\n'),
  );
  const found = of({ POD_NAME: `p\u0000${'x'.repeat(1_048_576)}` });
  const names = Object.keys(found?.labels ?? {});
  expect(names.slice(0, 2)).toEqual(['ok', 'l0']);
  expect(names).toHaveLength(64);
  expect(found?.pod).toHaveLength(256);
  expect(Workload.safeParse(found).success).toBe(true);
  expect(labelsIn('')).toEqual({});
});
