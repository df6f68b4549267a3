// The shim runs once for every server of every agent, so it has a bundle of its own that holds no other verb.
// (In one bundle split by verb, whatever any verb takes from a shared package would stand in the chunk that
// all of them load.)

/**
 * Leaves one verb in the command line: every other file that is imported dynamically becomes a module that
 * throws.
 * @param {string} verb its path below `verbs/`
 * @returns {import('esbuild').Plugin}
 */
export function onlyVerb(verb) {
  return {
    name: 'only-verb',
    setup(build) {
      build.onResolve({ filter: /\/(?:verbs|pager)\// }, (args) => {
        if (args.kind !== 'dynamic-import' || args.path.endsWith(`/verbs/${verb}.js`)) return undefined;
        return { path: args.path, namespace: 'other-verb' };
      });
      build.onLoad({ filter: /./, namespace: 'other-verb' }, (args) => ({
        contents: `throw new Error(${JSON.stringify(`${args.path} is not part of the bundle of \`sub ${verb}\``)});`,
      }));
    },
  };
}
