import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GatewayConfig } from '@subluminal/core-types';
import { homePaths } from '@subluminal/ipc';
import { expect, it } from 'vitest';
import { readDisk } from './settings.js';

it('a home without `[disk]` has the defaults of the contract', () => {
  const home = mkdtempSync(join(tmpdir(), 'sub-disk-'));
  try {
    const { layers_mb: mb, layers_days: days } = GatewayConfig.parse({}).disk;
    expect(readDisk(homePaths(home))).toEqual({ layersBytes: Number(mb) * 1_048_576, layersDays: days });
  } finally {
    rmSync(home, { recursive: true });
  }
});
