import * as z from 'zod';

/** `finance.fetch_transactions`. */
export const FinanceFetchPayload = z.strictObject({
  accountId: z.string().optional(),
  limit: z.number().int().positive().optional(),
});

/** `health.fetch`. */
export const HealthFetchPayload = z.strictObject({
  dataType: z.string(),
  startDate: z.iso.datetime().optional(),
});
