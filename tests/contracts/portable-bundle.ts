import { createContext, runInContext, type Context } from 'node:vm';
import { fileURLToPath } from 'node:url';
import { build, type Metafile } from 'esbuild';
import type * as portable from '@subluminal/core-types/portable';

const root = fileURLToPath(new URL('../..', import.meta.url));
const entry = 'packages/core-types/dist/portable.js';

/** The globals that every browser has and a bare context has not. */
const WEB = { TextEncoder, TextDecoder, URL, atob, btoa };

/** The portable surface as a browser would run it. */
export interface PortableBundle {
  /** Every file that went into the bundle, and what each imports. */
  readonly inputs: Metafile['inputs'];
  readonly portable: typeof portable;
  /** Evaluates an expression beside the bundle. */
  readonly evaluate: (expression: string) => unknown;
  /** A value of the context's own realm. */
  readonly parse: (text: string) => unknown;
}

/** Bundles the built surface for browsers, and runs it where nothing of Node is. */
export async function bundlePortable(): Promise<PortableBundle> {
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    bundle: true,
    write: false,
    metafile: true,
    platform: 'browser',
    format: 'iife',
    globalName: 'portable',
    logLevel: 'silent',
  });
  const context: Context = createContext({ ...WEB });
  const evaluate = (expression: string): unknown => runInContext(expression, context);
  evaluate(outputFiles[0]?.text ?? '');
  return {
    inputs: metafile.inputs,
    portable: evaluate('portable') as PortableBundle['portable'],
    evaluate,
    parse: evaluate('JSON.parse') as PortableBundle['parse'],
  };
}
