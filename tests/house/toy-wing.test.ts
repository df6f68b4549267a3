import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ConfigSection, configForm, loadConfig, neverLooser } from '@subluminal/gateway';
import { afterAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { inForce } from '../../packages/gateway/dist/config/in-force.js';
import { loosens } from '../../packages/gateway/dist/config/loosens.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const TOY: ConfigSection<{ readonly loud: boolean; readonly port?: number | undefined }> = {
  name: 'toy',
  schema: z.strictObject({ loud: z.boolean().default(false), port: z.number().optional() }).prefault({}),
  looser: { loud: neverLooser },
  takesEffect: 'at once',
};

describe('the table of a toy wing', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sub-toy-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function load(text: string, sections: readonly ConfigSection[] = [TOY]) {
    const path = join(folder, 'config.toml');
    writeFileSync(path, text, { mode: 0o600 });
    return loadConfig({ path, form: configForm(sections) });
  }
  const tables = (text: string) => {
    const loaded = load(text);
    if (!('config' in loaded)) throw new Error(loaded.message);
    return loaded.config;
  };

  it('is read with its defaults beside the tables of the contract, whether or not the file has it', () => {
    expect(tables('')).toMatchObject({ toy: { loud: false }, autostart: true });
    expect(tables('autostart = false\n[toy]\nloud = true\n')).toMatchObject({
      toy: { loud: true },
      autostart: false,
      anomaly: { burst: 'approve' },
    });
  });

  it('has its mistakes told as those of any other, and is unknown where no wing brings it', () => {
    expect(load('[toy]\nloud = "yes"\n')).toMatchObject({
      kind: 'invalid',
      code: 'config_invalid',
      message: expect.stringContaining('`toy.loud` is a text; expected there: `true` or `false`'),
    });
    expect(load('[toy]\nloudd = true\n')).toMatchObject({
      message: expect.stringContaining('`toy.loudd` is not known'),
    });
    expect(load('[toy]\nloud = true\n', [])).toMatchObject({
      message: expect.stringContaining('`toy` is not known'),
    });
  });

  it('takes effect when it says so, and what it ranks no other way counts as looser', () => {
    const [before, after] = [tables(''), tables('[toy]\nloud = true\n')];
    const late: ConfigSection = { ...TOY, takesEffect: 'with a start' };
    expect(inForce(before, after, [TOY])).toMatchObject({ toy: { loud: true } });
    expect(inForce(before, after, [late])).toMatchObject({ toy: { loud: false } });
    expect(loosens(before, after, [TOY])).toBe(false);
    expect(loosens(before, after, [])).toBe(true);
    expect(loosens(before, tables('[toy]\nport = 1\n'), [TOY])).toBe(true);
  });

  it('is that of one wing alone, and of none where the contract has it', () => {
    expect(() => configForm([TOY, { ...TOY }])).toThrow('two parts of the gateway read the table `toy`');
    expect(() => configForm([{ ...TOY, name: 'egress' }])).toThrow('read the table `egress`');
  });
});

/** Files that a new wing touches besides its own package, each with its reason. */
const TOUCHED: readonly (readonly [RegExp, string])[] = [
  [/^packages\/core-types\/src\/schema\/(?:actions|payloads\/.+)\.ts$/, 'the payloads of its actions'],
  [/^packages\/daemon\/src\/compose\/wings\/.+\.ts$/, 'its wiring'],
  [
    /^packages\/daemon\/src\/compose\/(?:families|gateway|limits|options|parts|pipeline|runs|traffic)\.ts$/,
    'its place among the others',
  ],
  [/^packages\/daemon\/src\/compose\/config\.ts$/, 'its table of config.toml'],
  [/^packages\/daemon\/src\/home\/database\.ts$/, 'its tables of gateway.db'],
  [/^packages\/cli\/src\/(?:verbs\/.+|program\/verbs)\.ts$/, 'its verbs'],
  [/^boundary\.json$/, 'what it may import'],
  [/^(?:package-lock|packages\/daemon\/package)\.json$/, 'its package'],
  [/^(?:tests\/|packages\/daemon\/)?tsconfig\.json$/, 'its compilation'],
  [/^(?:ARCHITECTURE\.md|packages\/README\.md|docs\/.+\.md)$/, 'its words'],
  [/^docker\/Dockerfile$/, 'its image'],
  [/^scripts\/build\/(?:bundles|page|stamp)\.mjs$/, 'its worker, and what it serves to a browser'],
  [/^scripts\/(?:privacy-audit\/bundles\.mjs|prose\/exempt\.txt)$/, 'its checks'],
  [/^(?:tests|bench)\//, 'its tests'],
];

describe('a wing', () => {
  it.each([
    'anomaly',
    'approvals',
    'tools',
    'remote',
    'net',
    'projects',
    'anchors',
    'hooks-door',
    'plane-wing',
  ])('is named nowhere but in its package and in the files that a new wing touches: %s', (wing) => {
    const named = `subluminal/${wing}\\b|packages/${wing}/`;
    const files = execFileSync('git', ['grep', '-lE', named, '--', '.', `:!packages/${wing}`], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    const others = files.split('\n').filter((file) => file !== '');
    expect(others).toContain('boundary.json');
    expect(others.filter((file) => !TOUCHED.some(([form]) => form.test(file)))).toEqual([]);
  });
});
