// Code that a program loads only when it needs it is in a bundle of its own, with its own copy of what both
// use. (In chunks of one bundle, everything that a shared package exports would stand in the chunk that is
// loaded at the start.)
import { join } from 'node:path';

/**
 * Leaves a module that is imported dynamically out of the bundle, and imports another file in its place.
 * @param {RegExp} module where it stands
 * @param {string} file as the bundle has to name it
 * @returns {import('esbuild').Plugin}
 */
export function besideIt(module, file) {
  return {
    name: 'beside-it',
    setup(build) {
      build.onResolve({ filter: /^\./ }, (args) => {
        if (args.kind !== 'dynamic-import' || !module.test(join(args.resolveDir, args.path)))
          return undefined;
        return { path: file, external: true };
      });
    },
  };
}

/**
 * Leaves out packages of which nothing that the bundle keeps is used, although files are imported that import
 * them.
 * @param {readonly string[]} names
 * @returns {import('esbuild').Plugin}
 */
export function unusedHere(names) {
  return {
    name: 'unused-here',
    setup(build) {
      build.onResolve({ filter: /^[a-z]/ }, async (args) => {
        if (!names.includes(args.path) || args.pluginData === 'resolving') return undefined;
        const { path, errors } = await build.resolve(args.path, {
          kind: args.kind,
          importer: args.importer,
          resolveDir: args.resolveDir,
          pluginData: 'resolving',
        });
        return errors.length > 0 ? { errors } : { path, sideEffects: false };
      });
    },
  };
}
