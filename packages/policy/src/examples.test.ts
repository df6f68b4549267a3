import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { compilePolicy } from './compile.js';

const folder = fileURLToPath(new URL('../../../examples/policies/', import.meta.url));

it.each(readdirSync(folder).filter((name) => name.endsWith('.yaml')))(
  'the example %s lints clean',
  (filename) => {
    const result = compilePolicy(readFileSync(`${folder}${filename}`, 'utf8'), { filename });
    expect(result).toMatchObject({ ok: true, warnings: [] });
  },
);
