// CommonJS dependencies say `require('node:events')`, which has no meaning in an ES module. This turns each
// such call into a static import of the built-in, so that the bundle needs no `require` and its imports can
// be read off it.
import { builtinModules } from 'node:module';

const BUILTINS = new Set(builtinModules);

/** @type {import('esbuild').Plugin} */
export const builtinsAsImports = {
  name: 'builtins-as-imports',
  setup(build) {
    build.onResolve({ filter: /./ }, (args) => {
      const name = args.path.replace(/^node:/, '');
      if (args.kind !== 'require-call' || !BUILTINS.has(name)) return undefined;
      return { path: name, namespace: 'builtin' };
    });
    build.onLoad({ filter: /./, namespace: 'builtin' }, ({ path }) => ({ contents: contentsOf(path) }));
  },
};

/** @param {string} name */
function contentsOf(name) {
  // As a module it takes each start 2 ms more than the global does.
  if (name === 'process') return 'module.exports = process;';
  return `import whole from 'node:${name}';\nmodule.exports = whole;`;
}
