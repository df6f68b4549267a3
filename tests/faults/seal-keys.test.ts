import { describe, expect, it } from 'vitest';
import {
  enumerateCalls,
  inPairs,
  NOT_ACKNOWLEDGED,
  NOT_PERSISTED,
  pairs,
  runCase,
  type CallSite,
} from './kit/cases.js';
import { buildFaultLibrary } from './kit/library.js';

const library = buildFaultLibrary();
const absent = 'missing' in library ? ` (not here: ${library.missing})` : '';
const path = 'path' in library ? library.path : '';
const isLong = process.env['SUB_LONG'] === '1';
const KILLED = [{ action: 'kill' }, { action: 'killafter' }] as const;

/** The call between whose both sides the ledger and the key's file name different keys. */
const isRename = ({ op, path: glob }: CallSite): boolean => op === 'rename' && glob.endsWith('/keys/seal');
const isOfKeys = ({ path: glob }: CallSite): boolean => /\/keys\/(?:seal|log)|\/keys$/.test(glob);

describe.skipIf('missing' in library)(`every call that writes the ledger’s keys${absent}`, () => {
  it('may be the last before or after which the gateway is killed, and the next start goes on', async () => {
    const sites = (await enumerateCalls(path)).filter(isLong ? isOfKeys : isRename);
    expect(sites.length).toBeGreaterThanOrEqual(isLong ? 20 : 1);
    const failures: string[] = [];
    const modes = isLong ? [...KILLED, NOT_PERSISTED, NOT_ACKNOWLEDGED] : KILLED;
    await inPairs(pairs(sites, modes), async ({ site, mode }) => {
      const { wrong } = await runCase(path, site, mode);
      const name = `${site.phase}: ${site.op} ${site.path} #${site.nth} ${mode.action}`;
      if (wrong.length > 0) failures.push(`${name}: ${wrong.join('; ')}`);
    });
    expect(failures).toEqual([]);
  }, 3_600_000);
});
