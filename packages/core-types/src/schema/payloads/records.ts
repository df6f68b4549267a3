import * as z from 'zod';
import { AccountName } from '../account.js';

/** `finance.fetch_transactions`. */
export const FinanceFetchPayload = z.strictObject({
  /** Needed where there are several accounts of the kind. */
  account: AccountName.optional(),
  /** One account of those that the server has; all of them without it. */
  accountId: z.string().min(1).max(512).optional(),
  /** Transactions from then on; without it those that the server gives by itself. */
  startDate: z.iso.datetime().optional(),
  /** Transactions at most; without it 100. */
  limit: z.number().int().positive().max(1000).optional(),
});

/** `health.fetch`. */
export const HealthFetchPayload = z.strictObject({
  /** Needed where there are several accounts of the kind. */
  account: AccountName.optional(),
  /** A word for what was measured (docs/actions.md), or `loinc:CODE`. */
  dataType: z.string().min(1).max(128),
  startDate: z.iso.datetime().optional(),
  /** Observations at most; without it 200. */
  limit: z.number().int().positive().max(1000).optional(),
});
