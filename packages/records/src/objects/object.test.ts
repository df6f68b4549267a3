import { describe, expect, it } from 'vitest';
import { objectIn } from './object.js';

const CUT = '{"path":"/srv/keys/a","text":"xxxx';
const read = (readings: object) => ({ facts: { readings: { ...readings } } });

describe('the object of a call whose preview was cut', () => {
  it('is the first command or path that rules have looked at', () => {
    const path = { forms: ['/srv/keys/a', '/real/a'], climbs: [], access: 'write', is_recursive: false };
    expect(objectIn(['files', 'write'], CUT, read({ commands: [], paths: [path] }))).toBe('/srv/keys/a');
    const command = { argv: 'rm -rf /srv' };
    expect(objectIn(['run', 'it'], CUT, read({ commands: [command], paths: [path] }))).toBe('rm -rf /srv');
  });

  it.each([{ omitted: true }, { paths: [] }, { paths: [{ forms: [] }] }, { paths: [{ forms: [7] }] }])(
    'is unknown where the decision kept none: %j',
    (readings) => {
      expect(objectIn(['files', 'write'], CUT, read(readings))).toBeNull();
    },
  );
});
