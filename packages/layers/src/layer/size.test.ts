import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { layerPlace } from './place.js';
import { notedSize, noteSize, sizeOf } from './size.js';

const root = mkdtempSync(join(tmpdir(), 'layer-size-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const KIB = 1024;

describe('the room that layers take', () => {
  it('counts what stands in them, and follows no link out', () => {
    const place = layerPlace(root, 'one');
    mkdirSync(join(place.upper, 'a', 'b'), { recursive: true });
    writeFileSync(join(root, 'outside'), Buffer.alloc(1024 * KIB, 1));
    symlinkSync(root, join(place.upper, 'a', 'out'));
    writeFileSync(join(place.upper, 'a', 'b', 'file'), Buffer.alloc(256 * KIB, 1));
    const { bytes, isAtLeast } = sizeOf([place, layerPlace(root, 'none')], 100);
    expect(isAtLeast).toBe(false);
    expect(bytes).toBeGreaterThanOrEqual(256 * KIB);
    expect(bytes).toBeLessThan(512 * KIB);
  });

  it('is told as it was written down, with the time of that', () => {
    const place = layerPlace(root, 'noted');
    mkdirSync(place.folder);
    expect(notedSize(place)).toBeUndefined();
    noteSize(place, { bytes: 7, isAtLeast: true });
    const noted = notedSize(place);
    expect(noted).toMatchObject({ bytes: 7, isAtLeast: true });
    expect(Math.abs(Date.now() - (noted?.at ?? 0))).toBeLessThan(60_000);
    writeFileSync(place.size, '{"byt');
    expect(notedSize(place)).toBeUndefined();
  });

  it('ends after so many names, and says so', () => {
    const place = layerPlace(root, 'many');
    mkdirSync(place.upper, { recursive: true });
    for (let number = 0; number < 20; number += 1) writeFileSync(join(place.upper, `f${number}`), 'x');
    expect(sizeOf([place], 5).isAtLeast).toBe(true);
    expect(sizeOf([place], 50).isAtLeast).toBe(false);
  });
});
