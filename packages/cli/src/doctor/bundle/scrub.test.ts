import { expect, it } from 'vitest';
import { scrubOf } from './scrub.js';

it('the name of a server that says something goes, and one that many have takes no word with it', () => {
  const scrub = scrubOf({ homes: [], user: 'ada', host: 'box', texts: ['files', 'acme-ledger'] });
  expect(scrub(['1024 open files; `files` and `acme-ledger` are routed'])).toEqual([
    '1024 open files; `files` and `<text>` are routed',
  ]);
});
