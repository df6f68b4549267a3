import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type LayerAbout, layerPlace, noteSize } from '@subluminal/layers';
import { expect, it, onTestFinished } from 'vitest';
import { roomText } from './budget.js';

const MIB = 1_048_576;

const layerOf = (files: number): LayerAbout => {
  const root = mkdtempSync('/var/tmp/sub-budget-');
  onTestFinished(() => rmSync(root, { recursive: true }));
  const place = layerPlace(root, 'one');
  mkdirSync(place.upper, { recursive: true });
  for (let at = 0; at < files; at += 1) writeFileSync(join(place.upper, String(at)), '');
  writeFileSync(join(place.upper, 'big'), Buffer.alloc(3 * MIB, 1));
  return {
    place,
    project: root,
    over: undefined,
    beganAt: 0n,
    mountedAt: 0n,
    runId: 'run',
    label: 'test',
    world: undefined,
    decider: undefined,
  };
};

it('a few files are counted, and compared with the budget', () => {
  expect(roomText([layerOf(3)], 10 * MIB, Date.now())).toMatch(/^3\.\d MB of 10\.\d MB$/);
});

it('of many files the size is the one that was last written down, with its time', () => {
  const layer = layerOf(2100);
  const later = Date.now() + 9_000_000;
  expect(roomText([layer], undefined, later)).toMatch(/^at least /);
  noteSize(layer.place, { bytes: 5 * MIB, isAtLeast: false });
  expect(roomText([layer], 10 * MIB, later)).toMatch(/^5\.\d MB of 10\.\d MB, counted 2h ago$/);
});
