import { ACCOUNT } from './claims/account.js';
import type { Claims } from './claims/claim.js';
import { ENTRIES } from './claims/entries.js';
import { FILES } from './claims/files.js';
import { passagesOf, type Passage } from './claims/passages.js';
import { PROMISES } from './claims/promises.js';
import { README } from './claims/readme.js';
import { RECORD } from './claims/record.js';
import { SECRETS } from './claims/secrets.js';
import { THREATS } from './claims/threats.js';
import { textOf } from './pages.js';

/** A page, the claims that it makes, and the sections that make none. */
export interface ClaimingPage {
  readonly page: string;
  readonly claims: Claims;
  readonly passages: readonly Passage[];
}

/** A list of other pages, and a way to reach people. */
const CLAIMLESS = new Set(['More', 'Reporting']);

/** The pages whose every claim names its test. */
export const PAGES: readonly ClaimingPage[] = [
  { page: 'README.md', claims: README },
  {
    page: 'SECURITY.md',
    claims: { ...PROMISES, ...THREATS, ...ACCOUNT, ...SECRETS, ...RECORD, ...ENTRIES, ...FILES },
  },
].map(({ page, claims }) => ({
  page,
  claims,
  passages: passagesOf(textOf(page)).filter(({ section: [first = ''] }) => !CLAIMLESS.has(first)),
}));
