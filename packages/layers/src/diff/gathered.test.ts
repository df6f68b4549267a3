import { describe, expect, it } from 'vitest';
import { pathOfText } from '../files/byte-path.js';
import type { Change } from './change.js';
import { GatheredSteps } from './gathered.js';

const added = (name: string, size: number): Change => ({
  path: pathOfText(name),
  how: 'added',
  before: undefined,
  after: {
    kind: 'file',
    mode: 0o644,
    size,
    inode: BigInt(size),
    changedAt: 1n,
    modifiedAt: 1n,
    sha256: 'a'.repeat(64),
    target: undefined,
  },
  isStale: false,
});

describe('steps that are put together', () => {
  it('go from before the first look to behind the last', () => {
    const path = pathOfText('a');
    const gathered = new GatheredSteps();
    gathered.add([{ path, before: undefined, after: added('a', 1) }]);
    gathered.add([{ path, before: added('a', 1), after: added('a', 2) }]);
    expect(gathered.take()).toEqual([{ path, before: undefined, after: added('a', 2) }]);
    expect(gathered.take()).toEqual([]);
  });

  it('hold nothing of files that come and go', () => {
    const gathered = new GatheredSteps();
    for (let at = 0; at < 1000; at += 1) {
      const path = pathOfText(`t${at}`);
      gathered.add([{ path, before: undefined, after: added(`t${at}`, 1) }]);
      gathered.add([{ path, before: added(`t${at}`, 1), after: undefined }]);
    }
    expect(gathered.size).toBe(0);
  });

  it('tell of a file that goes and comes again as another one', () => {
    const path = pathOfText('a');
    const gathered = new GatheredSteps();
    gathered.add([{ path, before: added('a', 1), after: undefined }]);
    gathered.add([{ path, before: undefined, after: added('a', 2) }]);
    expect(gathered.take()).toEqual([{ path, before: added('a', 1), after: added('a', 2) }]);
  });
});
