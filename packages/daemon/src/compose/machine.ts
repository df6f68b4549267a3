import { tmpdir } from 'node:os';
import type { ObjectParts, UpstreamStore } from '@subluminal/gateway';
import { Lookups, MOST_AT_ONCE } from './lookups.js';

/** This machine, as far as the paths of calls lead there. */
export function thisMachine(
  upstreams: Pick<UpstreamStore, 'foldersOf'>,
  { home }: Pick<ObjectParts, 'home'>,
): ObjectParts {
  const lookups = new Lookups(MOST_AT_ONCE.paths);
  return {
    home,
    tmp: tmpdir(),
    resolve: (path) => lookups.resolve(path),
    serverFolders: (runId, shimId) => upstreams.foldersOf(runId, shimId),
  };
}
