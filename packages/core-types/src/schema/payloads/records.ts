import * as z from 'zod';
import { AccountName } from '../account.js';

/** `finance.fetch_transactions`. */
export const FinanceFetchPayload = z.strictObject({
  /** Needed where there are several accounts of the kind. */
  account: AccountName.optional(),
  accountId: z.string().optional(),
  limit: z.number().int().positive().optional(),
});

/** `health.fetch`. */
export const HealthFetchPayload = z.strictObject({
  /** Needed where there are several accounts of the kind. */
  account: AccountName.optional(),
  dataType: z.string(),
  startDate: z.iso.datetime().optional(),
});
