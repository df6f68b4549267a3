import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { MISSING, startBrowser } from './kit/browser.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const read = <T extends z.ZodType>(name: string, form: T): z.infer<T> =>
  form.parse(JSON.parse(readFileSync(`${ROOT}/vectors/${name}.json`, 'utf8')));

const sealed = z.object({ key: z.string(), text: z.string(), data: z.string() });
const hashes = z.object({
  name: z.string(),
  text: z.string().optional(),
  hex: z.string().optional(),
  repeat: z.number().optional(),
  sha256: z.string(),
});
const VECTORS = {
  canonical: read(
    'canonical-json',
    z.object({
      valid: z.array(z.object({ input: z.string(), canonical: z.string() })).min(20),
      invalid: z.array(z.object({ input: z.string(), code: z.string() })).min(20),
    }),
  ),
  args: read(
    'args-hash',
    z.object({ valid: z.array(z.object({ inputs: z.array(z.string()), args_hash: z.string() })).min(5) }),
  ),
  hashes: read('sha256', z.object({ valid: z.array(hashes).min(5), invalid: z.array(hashes).min(1) })),
  seals: read('seals', z.object({ valid: z.array(sealed).min(1) })),
};

/** The wrong answers of the browser, vector by vector. */
interface Wrong {
  readonly canonical: readonly string[];
  readonly refused: readonly string[];
  readonly args: readonly string[];
  readonly hashes: readonly string[];
  readonly accepted: readonly string[];
  readonly seals: readonly string[];
}

describe.skipIf(MISSING !== null)(
  `the vectors in the browser itself${MISSING === null ? '' : ` (${MISSING})`}`,
  () => {
    let browser: Browser;
    let page: Page;
    beforeAll(async () => {
      browser = await startBrowser();
      page = await browser.newPage();
      const { outputFiles } = await build({
        absWorkingDir: ROOT,
        entryPoints: ['packages/core-types/dist/portable.js'],
        bundle: true,
        write: false,
        platform: 'browser',
        format: 'iife',
        globalName: 'portable',
        logLevel: 'silent',
      });
      // A secure context, which WebCrypto asks for, without a server.
      await page.route('http://127.0.0.1:1/', (route) =>
        route.fulfill({ contentType: 'text/html', body: '<title>x</title>' }),
      );
      await page.goto('http://127.0.0.1:1/');
      await page.addScriptTag({ content: outputFiles[0]?.text ?? '' });
    });
    afterAll(() => browser.close());

    it('hold: canonical JSON, hashes of arguments, SHA-256, and signatures of seals by WebCrypto', async () => {
      const wrong = await page.evaluate(async (vectors): Promise<Wrong> => {
        const portable = Reflect.get(window, 'portable') as typeof import('@subluminal/core-types/portable');
        const bytes = (hex: string): Uint8Array =>
          Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
        const code = (work: () => unknown): string => {
          try {
            return `none: ${String(work())}`;
          } catch (error) {
            return portable.isSublError(error) ? error.code : String(error);
          }
        };
        const hash = ({
          text = '',
          hex,
          repeat = 1,
        }: {
          text?: string | undefined;
          hex?: string | undefined;
          repeat?: number | undefined;
        }): string => portable.sha256Hex(hex === undefined ? text.repeat(repeat) : bytes(hex));
        const seals: string[] = [];
        for (const { key, text, data } of vectors.seals.valid) {
          const { sig } = JSON.parse(data) as { sig: string };
          const raw = new Uint8Array(portable.base64Bytes(key, 32) ?? []);
          const signature = new Uint8Array(portable.base64Bytes(sig, 64) ?? []);
          const imported = await crypto.subtle.importKey('raw', raw, 'Ed25519', false, ['verify']);
          const message = new TextEncoder().encode(text);
          if (!(await crypto.subtle.verify('Ed25519', imported, signature, message))) seals.push(text);
          if (
            await crypto.subtle.verify('Ed25519', imported, signature, new TextEncoder().encode(`${text} `))
          )
            seals.push('another text');
        }
        return {
          canonical: vectors.canonical.valid.flatMap(({ input, canonical }) =>
            portable.canonicalize(portable.parseJson(input)) === canonical ? [] : [input],
          ),
          refused: vectors.canonical.invalid.flatMap(({ input, code: wanted }) =>
            code(() => portable.canonicalize(portable.parseJson(input))) === wanted ? [] : [input],
          ),
          args: vectors.args.valid.flatMap(({ inputs, args_hash }) =>
            inputs.filter((input) => portable.argsHash(portable.parseJson(input)) !== args_hash),
          ),
          hashes: vectors.hashes.valid.flatMap((one) => (hash(one) === one.sha256 ? [] : [one.name])),
          accepted: vectors.hashes.invalid.flatMap((one) => (hash(one) === one.sha256 ? [one.name] : [])),
          seals,
        };
      }, VECTORS);
      expect(wrong).toEqual({ canonical: [], refused: [], args: [], hashes: [], accepted: [], seals: [] });
    });
  },
);
